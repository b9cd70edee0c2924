import type { VideoVendor } from '../vendor.ts';
import { lumaBounds, lumaCapabilities } from './bounds.ts';
import { createLumaProvider } from './provider.ts';

/** Luma's Agents API, which makes videos with Ray. It has no question that costs nothing. */
export const luma: VideoVendor = {
  kind: 'luma',
  bounds: lumaBounds,
  capabilities: lumaCapabilities,
  create: (connection) => createLumaProvider(connection),
};
