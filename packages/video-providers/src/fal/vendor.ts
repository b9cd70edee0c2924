import type { VideoVendor } from '../vendor.ts';
import { falBounds, falCapabilities } from './bounds.ts';
import { createFalProvider } from './provider.ts';

/** The queue of fal, which hosts the models of many vendors. It has no question that costs nothing. */
export const fal: VideoVendor = {
  kind: 'fal',
  bounds: falBounds,
  capabilities: falCapabilities,
  create: (connection) => createFalProvider(connection),
};
