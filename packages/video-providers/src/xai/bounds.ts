import type { VendorCapabilities, VideoVendorBounds } from '@gateway/contracts';

export const xaiBounds: VideoVendorBounds = {
  duration: { min: 1, max: 15, auto: false },
  ratios: ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3'],
  resolutions: ['480p', '720p', '1080p'],
  references: { image: 7, video: 0, audio: 0 },
  frames: ['first_frame'],
  mediaOnly: false,
  lastFrame: false,
  unsupported: ['seed', 'watermark'],
  upstreamModels: { 'grok-imagine-video': { resolutions: ['480p', '720p'] } },
};

export const xaiCapabilities: VendorCapabilities = {
  promptFlags: undefined,
  audioNeedsPicture: false,
  inlineKinds: ['image'],
  lastFrame: false,
};
