import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { lumaScript } from './luma-script.ts';

itKeepsTheVideoProviderContract('luma', () => ({
  script: lumaScript,
  create: (connection) => createVideoProvider('luma', connection),
}));
