import type { VendorCapabilities, VideoVendorBounds, VideoModelBounds } from '@gateway/contracts';

const none = { image: 0, video: 0, audio: 0 } as const;
/** The older models: 5 or 10 seconds, and sound at 1080p only. */
const older: VideoModelBounds = {
  duration: { min: 5, max: 10, auto: false },
  resolutions: ['720p', '1080p'],
  references: none,
};

export const klingBounds: VideoVendorBounds = {
  duration: { min: 3, max: 15, auto: false },
  ratios: ['16:9', '9:16', '1:1'],
  resolutions: ['720p', '1080p', '4k'],
  references: { image: 7, video: 1, audio: 0 },
  promptMaxCharacters: 3_072,
  mediaOnly: false,
  lastFrame: false,
  unsupported: ['seed'],
  upstreamModels: {
    'kling-3.0': { references: none },
    'kling-3.0-turbo': {
      resolutions: ['720p', '1080p'],
      references: none,
      frames: ['first_frame'],
      promptMaxCharacters: 2_500,
      unsupported: ['seed', 'generate_audio'],
    },
    'kling-2.6': older,
    'kling-2.5-turbo': { ...older, unsupported: ['seed', 'generate_audio'] },
  },
};

/** Clips are fetched from their address; pictures may come inline. */
export const klingCapabilities: VendorCapabilities = {
  promptFlags: undefined,
  audioNeedsPicture: false,
  inlineKinds: ['image'],
  lastFrame: false,
};
