import type { VendorCapabilities, VideoVendorBounds } from '@gateway/contracts';

/** Its endpoints differ too much for bounds of the format, but none draws a watermark. */
export const falBounds: VideoVendorBounds = {
  lastFrame: false,
  unsupported: ['watermark'],
};

export const falCapabilities: VendorCapabilities = {
  promptFlags: undefined,
  audioNeedsPicture: false,
  inlineKinds: ['image', 'video', 'audio'],
  lastFrame: false,
};
