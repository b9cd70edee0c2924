import type { Rule } from './configuration-parts.ts';
import type { RawVideoModel } from './configuration-video-schema.ts';
import { mediaKinds } from './media-kind.ts';
import { ratiosAt, sizeOf, type VideoFormat } from './video-format.ts';
import { videoTasks } from './video-options.ts';
import type { VideoModelBounds } from './video-vendors.ts';

/** What a model promises that its vendor cannot do. */
export function boundRules(
  model: RawVideoModel,
  { bounds, at }: { bounds: VideoModelBounds; at: string },
): Rule[] {
  const { duration, references, format } = bounds;
  const strange = (field: 'ratio' | 'resolution', taken: readonly string[] | undefined): Rule[] =>
    model[field].allowed.map((value) => [
      value !== '' && taken?.includes(value) === false,
      [field, 'allowed'],
      `names ${value}, and ${at} there are ${taken?.join(', ') ?? ''}`,
      value,
    ]);
  return [
    ...(duration === undefined ? [] : durationRules(model, { duration, at })),
    ...strange('ratio', bounds.ratios),
    ...strange('resolution', bounds.resolutions),
    ...(references === undefined
      ? []
      : mediaKinds.map((kind): Rule => [
          model.references[kind] > references[kind],
          ['references', kind],
          `must be at most ${references[kind]} ${at}`,
        ])),
    ...(format === undefined ? [] : formatRules(model, { format, at })),
    ...model.frames.map((role): Rule => [
      bounds.frames?.includes(role) === false,
      ['frames'],
      `names ${role}, which does not exist ${at}`,
      role,
    ]),
    ...optionRules(model, { bounds, at }),
    [
      model.media_only && bounds.mediaOnly === false,
      ['media_only'],
      `must be false ${at}, which needs a text in every request`,
    ],
    [
      model.last_frame === 'vendor' && bounds.lastFrame === false,
      ['last_frame'],
      `must be extract or none ${at}, which provides no last frame`,
    ],
  ];
}

const optionRules = (
  { options, resolution, references }: RawVideoModel,
  { bounds, at }: { bounds: VideoModelBounds; at: string },
): Rule[] =>
  options.flatMap((option): Rule[] => {
    const rules = bounds.options?.[option];
    const fixed = rules?.fixes?.resolution;
    return [
      [rules === undefined, ['options'], `names ${option}, which does not exist ${at}`, option],
      [
        fixed !== undefined && resolution.default !== '' && !resolution.allowed.includes(fixed),
        ['options'],
        `names ${option}, which is always made in ${fixed ?? ''} ${at}, and resolution.allowed does not name that`,
        option,
      ],
      [
        (videoTasks as readonly string[]).includes(option) && references.video === 0,
        ['options'],
        `names ${option}, which needs a source video, and references.video is 0`,
      ],
    ];
  });

/** The part of the model's promises that lies within these bounds. */
export function withinBounds(
  model: RawVideoModel,
  { duration, ratios, resolutions, references = model.references, frames }: VideoModelBounds,
): RawVideoModel {
  return {
    ...model,
    duration: {
      ...model.duration,
      min: Math.max(model.duration.min, duration?.min ?? 0),
      max: Math.min(model.duration.max, duration?.max ?? Infinity),
    },
    ratio: { ...model.ratio, allowed: among(model.ratio.allowed, ratios) },
    resolution: { ...model.resolution, allowed: among(model.resolution.allowed, resolutions) },
    references: {
      image: Math.min(model.references.image, references.image),
      video: Math.min(model.references.video, references.video),
      audio: Math.min(model.references.audio, references.audio),
    },
    frames: model.frames.filter((role) => frames?.includes(role) !== false),
  };
}

const among = (values: readonly string[], bounds: readonly string[] | undefined): string[] =>
  values.filter((value) => bounds?.includes(value) !== false);

const durationRules = (
  model: RawVideoModel,
  { duration, at }: { duration: NonNullable<VideoModelBounds['duration']>; at: string },
): Rule[] => [
  [
    model.duration.min < duration.min,
    ['duration', 'min'],
    `must be at least ${duration.min} ${at}`,
  ],
  [model.duration.max > duration.max, ['duration', 'max'], `must be at most ${duration.max} ${at}`],
  [
    model.duration.auto && !duration.auto,
    ['duration', 'auto'],
    `must be false ${at}, which chooses no length`,
  ],
];

/**
 * What a model promises although the words for it are missing. NaN and an empty name stand for
 * fields that are wrong anyway.
 */
function formatRules(
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
        value,
      ];
    }),
    ...ratio.allowed.map((value): Rule => [
      !reachable.includes(value),
      ['ratio', 'allowed'],
      `names ${value}, and ${at} these resolutions have ${listed(reachable)}`,
      value,
    ]),
    [
      sizeOf(format, { resolution: resolution.default, ratio: ratio.default }) === undefined,
      ['ratio', 'default'],
      `is ${ratio.default}, which the default resolution ${resolution.default} does not have ${at}`,
    ],
  ];
}

const listed = (values: readonly string[]): string =>
  values.map((value) => JSON.stringify(value)).join(', ');
