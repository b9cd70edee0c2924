import type { VideoFormat } from '@gateway/contracts';

const ratios = ['9:16', '3:4', '1:1', '4:3', '16:9', '21:9'] as const;
const everyRatio = Object.fromEntries(ratios.map((ratio) => [ratio, ratio]));

/** Two lengths; every ratio at every resolution, by the words that we have for them too. */
export const lumaFormat: VideoFormat = {
  seconds: [5, 10],
  sizes: { '360p': everyRatio, '540p': everyRatio, '720p': everyRatio, '1080p': everyRatio },
};
