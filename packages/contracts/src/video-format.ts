import type { Rule } from './configuration-parts.ts';
import type { RawVideoModel } from './configuration-video.ts';

/**
 * Of a wire format with few words: a length is one of a list, and a picture has one word for both
 * its resolution and its ratio.
 */
export interface VideoFormat {
  /** Lengths in seconds that can be asked for. */
  readonly seconds: readonly number[];
  /** The vendor's word for a picture, by resolution and ratio. */
  readonly sizes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * OpenAI `/v1/videos`. The published client knows 4, 8 and 12 seconds, the service itself also took
 * 16 and 20.
 */
export const openaiVideosFormat: VideoFormat = {
  seconds: [4, 8, 12, 16, 20],
  sizes: {
    '720p': { '16:9': '1280x720', '9:16': '720x1280' },
    '1024p': { '7:4': '1792x1024', '4:7': '1024x1792' },
    '1080p': { '16:9': '1920x1080', '9:16': '1080x1920' },
  },
};

const listed = (values: readonly string[]): string =>
  values.map((value) => JSON.stringify(value)).join(', ');

/** The ratios that can be asked for at a resolution. */
export const ratiosAt = ({ sizes }: VideoFormat, resolution: string): readonly string[] =>
  Object.hasOwn(sizes, resolution) ? Object.keys(sizes[resolution] ?? {}) : [];

/** The vendor's word for a picture of this resolution and ratio, if it has one. */
export const sizeOf = (
  { sizes }: VideoFormat,
  { resolution, ratio }: { readonly resolution: string; readonly ratio: string },
): string | undefined => Object.entries(sizes).find(([name]) => name === resolution)?.[1][ratio];

/**
 * What a model promises although the words for it are missing. NaN and an empty name stand for
 * fields that are wrong anyway.
 */
export function formatRules(
  { duration, resolution, ratio }: RawVideoModel,
  { format, at }: { format: VideoFormat; at: string },
): Rule[] {
  const isNone = (seconds: number): boolean =>
    !Number.isNaN(seconds) && !format.seconds.includes(seconds);
  return [
    ...(['min', 'max', 'default'] as const).map((end): Rule => [
      isNone(duration[end]),
      ['duration', end],
      `must be one of ${format.seconds.join(', ')} ${at}`,
    ]),
    [duration.auto, ['duration', 'auto'], `must be false ${at}, where a length is always said`],
    ...(resolution.default === '' || ratio.default === ''
      ? []
      : sizeRules({ resolution, ratio }, { format, at })),
  ];
}

function sizeRules(
  { resolution, ratio }: Pick<RawVideoModel, 'resolution' | 'ratio'>,
  { format, at }: { format: VideoFormat; at: string },
): Rule[] {
  const reachable = [...new Set(resolution.allowed.flatMap((value) => ratiosAt(format, value)))];
  return [
    ...resolution.allowed.map((value): Rule => {
      const possible = ratiosAt(format, value);
      return [
        possible.length > 0 && !possible.some((one) => ratio.allowed.includes(one)),
        ['resolution', 'allowed'],
        `names ${value}, and ${at} that has only the ratios ${listed(possible)}`,
      ];
    }),
    ...ratio.allowed.map((value): Rule => [
      !reachable.includes(value),
      ['ratio', 'allowed'],
      `names ${value}, and ${at} these resolutions have ${listed(reachable)}`,
    ]),
    [
      sizeOf(format, { resolution: resolution.default, ratio: ratio.default }) === undefined,
      ['ratio', 'default'],
      `is ${ratio.default}, which the default resolution ${resolution.default} does not have ${at}`,
    ],
  ];
}
