import type { VendorCapabilities, VideoVendorBounds } from '@gateway/contracts';

/** The vendor states no maximum of pictures; a request carries as many as it has bytes for. */
const manyImages = 30;

export const googleOmniBounds: VideoVendorBounds = {
  duration: { min: 3, max: 10, auto: false },
  ratios: ['16:9', '9:16'],
  resolutions: ['360p', '720p', '1080p', '4k'],
  references: { image: manyImages, video: 3, audio: 0 },
  lastFrame: false,
  unsupported: ['seed', 'watermark', 'generate_audio'],
};

/** The vendor fetches no addresses: everything comes inline. */
export const googleOmniCapabilities: VendorCapabilities = {
  promptFlags: undefined,
  audioNeedsPicture: false,
  inlineKinds: ['image', 'video'],
  urlKinds: [],
  inlineMaxBytes: 14_000_000,
  lastFrame: false,
};
