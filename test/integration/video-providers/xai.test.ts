import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { xaiScript } from './xai-script.ts';

itKeepsTheVideoProviderContract('xai', () => ({
  script: xaiScript,
  create: (connection) => createVideoProvider('xai', connection),
}));
