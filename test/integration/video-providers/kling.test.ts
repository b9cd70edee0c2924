import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { klingScript } from './kling-script.ts';

itKeepsTheVideoProviderContract('kling', () => ({
  script: klingScript,
  create: (connection) => createVideoProvider('kling', connection),
}));
