import type { VendorCapabilities, VideoVendorBounds } from '@gateway/contracts';

export const minimaxBounds: VideoVendorBounds = {
  duration: { min: 4, max: 15, auto: false },
  ratios: ['adaptive', '21:9', '16:9', '4:3', '1:1', '3:4', '9:16'],
  resolutions: ['480p', '768p', '2k'],
  references: { image: 9, video: 3, audio: 3 },
  promptMaxCharacters: 7_000,
  mediaOnly: false,
  lastFrame: false,
  unsupported: ['seed', 'generate_audio'],
  upstreamModels: {
    'MiniMax-H3': { resolutions: ['768p', '2k'] },
    'MiniMax-H3-Max': {
      resolutions: ['480p', '768p'],
      duration: { min: 5, max: 15, auto: false },
    },
  },
};

/** A body may have 64 MB. */
export const minimaxCapabilities: VendorCapabilities = {
  promptFlags: undefined,
  audioNeedsPicture: true,
  adaptiveNeedsReference: true,
  inlineKinds: ['image', 'video', 'audio'],
  lastFrame: false,
};
