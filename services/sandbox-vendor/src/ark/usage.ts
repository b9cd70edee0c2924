import type { Ratio } from '../render/video-spec.ts';
import type { Resolution } from '../tasks/parameters.ts';

/** Pixel sizes that the vendor documents for the 2.0 family, landscape first. */
const landscape = {
  '480p': { '16:9': [864, 496], '4:3': [752, 560], '1:1': [640, 640], '21:9': [992, 432] },
  '720p': { '16:9': [1280, 720], '4:3': [1112, 834], '1:1': [960, 960], '21:9': [1470, 630] },
  '1080p': { '16:9': [1920, 1080], '4:3': [1664, 1248], '1:1': [1440, 1440], '21:9': [2206, 946] },
  '4k': { '16:9': [3840, 2160], '4:3': [3326, 2494], '1:1': [2880, 2880], '21:9': [4398, 1886] },
} as const satisfies Record<Resolution, Record<string, readonly [number, number]>>;

const turned = { '9:16': '16:9', '3:4': '4:3' } as const;

/** The size the vendor declares for a video, whatever the sandbox really draws. */
function declaredSize(
  resolution: Resolution,
  ratio: Ratio,
): { readonly width: number; readonly height: number } {
  if (ratio === '9:16' || ratio === '3:4') {
    const [height, width] = landscape[resolution][turned[ratio]];
    return { width, height };
  }
  const [width, height] = landscape[resolution][ratio];
  return { width, height };
}

export const vendorFramesPerSecond = 24;

/**
 * Tokens of a video: width × height × (24 × seconds + 1) / 1024; checked against the documented
 * 108,900 for 5 s of 720p at 16:9.
 */
export function videoTokens({
  resolution,
  ratio,
  seconds,
}: {
  resolution: Resolution;
  ratio: Ratio;
  seconds: number;
}): number {
  const { width, height } = declaredSize(resolution, ratio);
  return Math.floor((width * height * (vendorFramesPerSecond * seconds + 1)) / 1024);
}
