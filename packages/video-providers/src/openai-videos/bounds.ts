import type { VendorCapabilities, VideoVendorBounds } from '@gateway/contracts';
import { openaiVideosFormat } from './sizes.ts';

export const openaiVideosBounds: VideoVendorBounds = {
  resolutions: Object.keys(openaiVideosFormat.sizes),
  references: { image: 0, video: 0, audio: 0 },
  frames: ['first_frame'],
  format: openaiVideosFormat,
  mediaOnly: false,
  lastFrame: false,
  unsupported: ['seed', 'watermark', 'generate_audio'],
};

/**
 * The picture is uploaded with the request: hosts of this format need not fetch addresses, and most
 * do not.
 */
export const openaiVideosCapabilities: VendorCapabilities = {
  promptFlags: undefined,
  audioNeedsPicture: false,
  inlineKinds: ['image'],
  urlKinds: [],
  lastFrame: false,
  format: openaiVideosFormat,
};
