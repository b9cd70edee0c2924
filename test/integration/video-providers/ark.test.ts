import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { arkScript } from './ark-script.ts';

itKeepsTheVideoProviderContract('ark', () => ({
  script: arkScript,
  create: (connection) => createVideoProvider('ark', connection),
}));
