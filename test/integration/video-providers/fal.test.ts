import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { falScript } from './fal-script.ts';

itKeepsTheVideoProviderContract('fal', () => ({
  script: falScript,
  create: (connection) => createVideoProvider('fal', connection),
}));
