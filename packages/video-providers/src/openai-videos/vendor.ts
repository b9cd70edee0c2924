import { checkWithBearer, type VideoVendor } from '../vendor.ts';
import { openaiVideosBounds, openaiVideosCapabilities } from './bounds.ts';
import { createOpenaiVideosProvider } from './provider.ts';

/** The OpenAI `/v1/videos` format, which many hosts speak. */
export const openaiVideos: VideoVendor = {
  kind: 'openai-videos',
  bounds: openaiVideosBounds,
  capabilities: openaiVideosCapabilities,
  create: (connection) => createOpenaiVideosProvider(connection),
  credentialCheck: checkWithBearer('/videos?limit=1'),
};
