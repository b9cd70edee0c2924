import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { runwayScript } from './runway-script.ts';

itKeepsTheVideoProviderContract('runway', () => ({
  script: runwayScript,
  create: (connection) => createVideoProvider('runway', connection),
}));
