import type { VendorCapabilities, VideoVendorBounds } from '@gateway/contracts';

/** Its models differ too much for bounds of the format. */
export const arkBounds: VideoVendorBounds = {};

/**
 * Ark reads these at any place of the prompt as parameters, and checks them only weakly.
 * Whole tokens: neither `--season` nor a dash between words is one.
 */
const promptFlags =
  /(?<![\w-])--(?:rs|resolution|rt|ratio|dur|duration|fps|framespersecond|frames|seed|cf|camerafixed|wm|watermark)(?![\w-])/i;

export const arkCapabilities: VendorCapabilities = {
  promptFlags,
  audioNeedsPicture: true,
  inlineKinds: ['image', 'audio'],
};
