import type { VendorCapabilities, VideoVendorBounds } from '@gateway/contracts';
import { lumaFormat } from './format.ts';

export const lumaBounds: VideoVendorBounds = {
  resolutions: Object.keys(lumaFormat.sizes),
  references: { image: 0, video: 0, audio: 0 },
  frames: ['first_frame', 'last_frame'],
  format: lumaFormat,
  promptMaxCharacters: 6_000,
  mediaOnly: false,
  lastFrame: false,
  unsupported: ['seed', 'watermark', 'generate_audio'],
};

/** An image may have 50 MB, as an address or as bytes. */
export const lumaCapabilities: VendorCapabilities = {
  promptFlags: undefined,
  audioNeedsPicture: false,
  inlineKinds: ['image'],
  urlKinds: ['image'],
  lastFrame: false,
  format: lumaFormat,
};
