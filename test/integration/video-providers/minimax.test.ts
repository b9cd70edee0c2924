import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { minimaxScript } from './minimax-script.ts';

itKeepsTheVideoProviderContract('minimax', () => ({
  script: minimaxScript,
  create: (connection) => createVideoProvider('minimax', connection),
}));
