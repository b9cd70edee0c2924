import type { VendorCapabilities, VendorOptions, VideoVendorBounds } from '@gateway/contracts';

/**
 * Which models have which, the operator's file says: the format has a place for all of them. What the
 * source decides must be left to it, and a draft has one size.
 */
const options: VendorOptions = {
  flex: {},
  draft: { fixes: { resolution: '480p' }, excludes: ['flex', 'return_last_frame'] },
  priority: { excludes: ['flex'] },
  extend: { fixes: { ratio: 'adaptive' } },
  edit: { fixes: { ratio: 'adaptive', duration: -1 } },
};

/** Its models differ too much for other bounds of the format. */
export const arkBounds: VideoVendorBounds = { options };

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
  options,
};
