import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { viduScript } from './vidu-script.ts';

itKeepsTheVideoProviderContract('vidu', () => ({
  script: viduScript,
  create: (connection) => createVideoProvider('vidu', connection),
}));
