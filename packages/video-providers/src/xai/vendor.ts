import { checkWithBearer, type VideoVendor } from '../vendor.ts';
import { xaiBounds, xaiCapabilities } from './bounds.ts';
import { createXaiProvider } from './provider.ts';

/** The video interface of xAI. */
export const xai: VideoVendor = {
  kind: 'xai',
  bounds: xaiBounds,
  capabilities: xaiCapabilities,
  create: (connection) => createXaiProvider(connection),
  credentialCheck: checkWithBearer('/models'),
};
