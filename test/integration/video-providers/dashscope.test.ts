import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { dashscopeScript } from './dashscope-script.ts';

itKeepsTheVideoProviderContract('dashscope', () => ({
  script: dashscopeScript,
  create: (connection) => createVideoProvider('dashscope', connection),
}));
