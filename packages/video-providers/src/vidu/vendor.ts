import type { VideoVendor } from '../vendor.ts';
import { viduBounds, viduCapabilities } from './bounds.ts';
import { createViduProvider } from './provider.ts';

/** Vidu, by its own interface. */
export const vidu: VideoVendor = {
  kind: 'vidu',
  bounds: viduBounds,
  capabilities: viduCapabilities,
  create: createViduProvider,
};
