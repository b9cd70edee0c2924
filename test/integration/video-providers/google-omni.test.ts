import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { googleOmniScript } from './google-omni-script.ts';

itKeepsTheVideoProviderContract('google-omni', () => ({
  script: googleOmniScript,
  create: (connection) => createVideoProvider('google-omni', connection),
}));
