import { checkWithBearer, type VideoVendor } from '../vendor.ts';
import { arkBounds, arkCapabilities } from './bounds.ts';
import { createArkProvider } from './provider.ts';

/** The Ark contents-generation format (Seedance). */
export const ark: VideoVendor = {
  kind: 'ark',
  bounds: arkBounds,
  capabilities: arkCapabilities,
  create: (connection) => createArkProvider(connection),
  credentialCheck: checkWithBearer('/contents/generations/tasks?page_num=1&page_size=1'),
};
