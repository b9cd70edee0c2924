import type { VendorCapabilities, VideoModelBounds, VideoVendorBounds } from '@gateway/contracts';

/** A week of idle machines is not promised: the vendor gives a task up after 48 hours. */
const options = { flex: {} } as const;
const none = { image: 0, video: 0, audio: 0 } as const;
const images = { image: 7, video: 0, audio: 0 } as const;
const framesOnly: VideoModelBounds = { references: none };
const referencesOnly: VideoModelBounds = { references: images, frames: [] };

/** Which endpoint a model has is the vendor's; models that are not known here are not held to any. */
export const viduBounds: VideoVendorBounds = {
  duration: { min: 1, max: 16, auto: false },
  ratios: ['16:9', '9:16', '3:4', '4:3', '1:1'],
  resolutions: ['540p', '720p', '1080p', '2k', '4k'],
  references: { image: 7, video: 2, audio: 0 },
  promptMaxCharacters: 5_000,
  lastFrame: false,
  options,
  upstreamModels: {
    'viduq3-pro': framesOnly,
    'viduq3-pro-fast': framesOnly,
    'viduq3-turbo': { references: images },
    'viduq3-mix': referencesOnly,
    'viduq3-drama': referencesOnly,
    'viduq3-ad': referencesOnly,
  },
};

/** A body may have 20 MB. */
export const viduCapabilities: VendorCapabilities = {
  promptFlags: undefined,
  audioNeedsPicture: false,
  inlineKinds: ['image'],
  inlineMaxBytes: 14_000_000,
  lastFrame: false,
  options,
};
