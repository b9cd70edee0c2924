import type { VendorCapabilities, VideoModelBounds, VideoVendorBounds } from '@gateway/contracts';

const wan3: VideoModelBounds = {
  duration: { min: 2, max: 30, auto: true },
  ratios: ['adaptive', '16:9', '4:3', '1:1', '3:4', '9:16'],
  resolutions: ['480p', '720p', '1080p'],
  references: { image: 10, video: 5, audio: 5 },
  promptMaxCharacters: 20_000,
  unsupported: ['generate_audio'],
};

/** Models of many makers stand behind this format, and differ: those that are known have bounds. */
export const dashscopeBounds: VideoVendorBounds = {
  lastFrame: false,
  upstreamModels: { 'wan3.0-video': wan3, 'wan3.0-video-prime': wan3 },
};

/** Whether clips and sounds may come inline is nowhere said: they are fetched from their address. */
export const dashscopeCapabilities: VendorCapabilities = {
  promptFlags: undefined,
  audioNeedsPicture: false,
  adaptiveNeedsReference: true,
  inlineKinds: ['image'],
  lastFrame: false,
};
