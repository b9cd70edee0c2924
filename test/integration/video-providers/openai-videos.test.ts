import { createVideoProvider } from '@gateway/video-providers';
import { itKeepsTheVideoProviderContract } from '../../contracts/video-provider-contract.ts';
import { openaiVideosScript } from './openai-videos-script.ts';

itKeepsTheVideoProviderContract('openai-videos', () => ({
  script: openaiVideosScript,
  create: (connection) => createVideoProvider('openai-videos', connection),
}));
