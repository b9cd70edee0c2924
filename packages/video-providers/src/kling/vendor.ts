import type { VideoVendor } from '../vendor.ts';
import { klingBounds, klingCapabilities } from './bounds.ts';
import { createKlingProvider, klingHeaders } from './provider.ts';

/** Kling's newer video interface, of the 3.x models. */
export const kling: VideoVendor = {
  kind: 'kling',
  bounds: klingBounds,
  capabilities: klingCapabilities,
  create: createKlingProvider,
  // A list of a task that never was: refused without a key, else empty or "not found".
  credentialCheck: ({ apiKey }) => ({ path: '/tasks?task_ids=0', headers: klingHeaders(apiKey) }),
};
