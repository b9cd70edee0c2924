import { checkWithBearer, type VideoVendor } from '../vendor.ts';
import { minimaxBounds, minimaxCapabilities } from './bounds.ts';
import { createMiniMaxProvider } from './provider.ts';

/** The second MiniMax video interface (H3). */
export const minimax: VideoVendor = {
  kind: 'minimax',
  bounds: minimaxBounds,
  capabilities: minimaxCapabilities,
  create: (connection) => createMiniMaxProvider(connection),
  credentialCheck: checkWithBearer('/v2/query/video_generation?page_num=1&page_size=1'),
};
