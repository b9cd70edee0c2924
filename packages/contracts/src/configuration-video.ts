import {
  frameRoles,
  lastFrames,
  optionalFields,
  type FrameRole,
  type LastFrame,
  type OptionalField,
  type ProviderSettings,
  type VideoModel,
  type VideoProviderKind,
} from './configuration.ts';
import {
  brokenRules,
  isTextKind,
  isVideoKind,
  name,
  positive,
  providerFields,
  withoutSlashes,
  type KindOf,
  type PathProblem,
  type RawProviderFields,
  type Rule,
} from './configuration-parts.ts';
import { mediaKinds } from './task.ts';
import { formatRules } from './video-format.ts';
import { videoModelBounds, type VideoModelBounds } from './video-vendors.ts';

const quota = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;
const count = { type: 'integer', minimum: 0, maximum: 64 } as const;

const choice = (value: object) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['allowed', 'default'],
    properties: {
      allowed: { type: 'array', minItems: 1, uniqueItems: true, items: value },
      default: value,
    },
  }) as const;

export const videoProviderSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    kind: true,
    ...providerFields,
    max_concurrent: { ...positive, default: 10 },
    requests_per_second: {
      type: 'number',
      exclusiveMinimum: 0,
      default: 10,
      'x-must-be': 'a number above 0',
    },
    poll_seconds: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        first: { type: 'number', minimum: 0.05, default: 3 },
        max: { type: 'number', minimum: 0.05, default: 30 },
      },
    },
  },
} as const;

export const videoModelSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['provider', 'upstream_model', 'second_quota', 'duration', 'ratio', 'resolution'],
  properties: {
    kind: true,
    provider: name,
    upstream_model: { type: 'string', minLength: 1 },
    second_quota: {
      if: { type: 'object' },
      then: { type: 'object', minProperties: 1, additionalProperties: quota },
      else: quota,
      'x-must-be': 'a whole number of quota units, or one for each resolution',
    },
    audio_second_quota: { ...quota, default: 0 },
    duration: {
      type: 'object',
      additionalProperties: false,
      required: ['min', 'max', 'default'],
      properties: {
        min: positive,
        max: { ...positive, maximum: 3600 },
        default: positive,
        auto: { type: 'boolean', default: false },
      },
    },
    ratio: choice({
      type: 'string',
      pattern: '^(\\d{1,3}:\\d{1,3}|adaptive)$',
      'x-must-be': 'a ratio such as "16:9", or "adaptive"',
    }),
    resolution: choice({ type: 'string', minLength: 1 }),
    references: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        image: { ...count, default: 0 },
        video: { ...count, default: 0 },
        audio: { ...count, default: 0 },
      },
    },
    frames: {
      type: 'array',
      uniqueItems: true,
      items: { enum: frameRoles, 'x-must-be': `one of ${frameRoles.join(', ')}` },
      default: [],
    },
    generate_audio: { type: 'boolean', default: false },
    media_only: { type: 'boolean', default: false },
    unsupported: {
      type: 'array',
      uniqueItems: true,
      items: { enum: optionalFields, 'x-must-be': `one of ${optionalFields.join(', ')}` },
      default: [],
    },
    last_frame: { enum: lastFrames, 'x-must-be': `one of ${lastFrames.join(', ')}` },
    prompt_max_characters: { ...positive, default: 10_000 },
    expires_after_seconds: { type: 'integer', minimum: 1, maximum: 604_800, default: 172_800 },
    retention_days: { ...positive, default: 30 },
  },
} as const;

/** The file's own spelling of a video provider, after validation with defaults. */
export interface RawVideoProvider extends RawProviderFields {
  kind: VideoProviderKind;
  max_concurrent: number;
  requests_per_second: number;
  poll_seconds: { first: number; max: number };
}

/** The file's own spelling of a video model, after validation with defaults. */
export interface RawVideoModel {
  kind: 'video';
  provider: string;
  upstream_model: string;
  second_quota: number | Record<string, number>;
  audio_second_quota: number;
  duration: { min: number; max: number; default: number; auto: boolean };
  ratio: { allowed: string[]; default: string };
  resolution: { allowed: string[]; default: string };
  references: { image: number; video: number; audio: number };
  frames: FrameRole[];
  generate_audio: boolean;
  media_only: boolean;
  unsupported: OptionalField[];
  last_frame?: LastFrame;
  prompt_max_characters: number;
  expires_after_seconds: number;
  retention_days: number;
}

/**
 * Nothing of it breaks a rule: NaN is neither below nor above any bound, and an empty name is no
 * name that a bound could miss.
 */
const harmless = {
  provider: '',
  second_quota: 0,
  duration: { min: NaN, max: NaN, default: NaN, auto: false },
  ratio: { allowed: [''], default: '' },
  resolution: { allowed: [''], default: '' },
  references: { image: 0, video: 0, audio: 0 },
  frames: [],
  media_only: false,
  unsupported: [],
  last_frame: 'none',
} satisfies Partial<RawVideoModel>;

/**
 * The model with harmless values for fields that are wrong themselves, so that the rules between
 * the others can be looked at.
 */
export const mendVideoModel = (
  model: RawVideoModel,
  isSound: (field: string) => boolean,
): RawVideoModel => ({
  ...model,
  ...Object.fromEntries(Object.entries(harmless).filter(([field]) => !isSound(field))),
});

/** What is wrong between the fields of a video model. */
export function videoModelProblems(model: RawVideoModel, kindOf: KindOf): PathProblem[] {
  const {
    duration,
    ratio,
    resolution,
    second_quota: price,
    last_frame: lastFrame = 'none',
  } = model;
  const kind = kindOf(model.provider);
  return brokenRules([
    [
      kind === undefined,
      ['provider'],
      `names the provider ${model.provider}, which is not under providers`,
    ],
    [
      isTextKind(kind),
      ['provider'],
      `names the provider ${model.provider}, which is a text provider`,
    ],
    [duration.min > duration.max, ['duration', 'min'], 'is larger than max'],
    [
      duration.default < duration.min || duration.default > duration.max,
      ['duration', 'default'],
      'is not between min and max',
    ],
    [!ratio.allowed.includes(ratio.default), ['ratio', 'default'], 'is not one of allowed'],
    [
      !resolution.allowed.includes(resolution.default),
      ['resolution', 'default'],
      'is not one of allowed',
    ],
    [
      lastFrame !== 'none' && model.unsupported.includes('return_last_frame'),
      ['last_frame'],
      `is ${lastFrame}, and unsupported names return_last_frame`,
    ],
    ...resolution.allowed.map(
      (value) =>
        [
          typeof price !== 'number' && price[value] === undefined,
          ['second_quota'],
          `has no price for the resolution ${value}`,
        ] as const,
    ),
    ...boundRules(model, {
      bounds: boundsOf(model, kindOf),
      at: `for ${model.upstream_model} at a provider of kind ${String(kind)}`,
    }),
  ]);
}

/**
 * What the vendor can be asked for with this model; nothing is known of a provider that is not
 * there or none for video.
 */
function boundsOf(model: RawVideoModel, kindOf: KindOf): VideoModelBounds {
  const kind = kindOf(model.provider);
  return isVideoKind(kind) ? videoModelBounds(kind, model.upstream_model) : {};
}

/** What a model promises that its vendor cannot do. */
function boundRules(
  model: RawVideoModel,
  { bounds, at }: { bounds: VideoModelBounds; at: string },
): Rule[] {
  const { duration, references, format } = bounds;
  const strange = (field: 'ratio' | 'resolution', taken: readonly string[] | undefined): Rule[] =>
    model[field].allowed.map((value) => [
      value !== '' && taken?.includes(value) === false,
      [field, 'allowed'],
      `names ${value}, and ${at} there are ${taken?.join(', ') ?? ''}`,
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
      `names ${role}, which there is not ${at}`,
    ]),
    [
      model.media_only && bounds.mediaOnly === false,
      ['media_only'],
      `must be false ${at}, which needs a text in every request`,
    ],
    [
      model.last_frame === 'vendor' && bounds.lastFrame === false,
      ['last_frame'],
      `must be extract or none ${at}, which gives no last frame`,
    ],
  ];
}

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

export const toVideoProvider = (
  providerName: string,
  raw: RawVideoProvider,
  apiKey: string,
): ProviderSettings => ({
  name: providerName,
  kind: raw.kind,
  baseUrl: withoutSlashes(raw.base_url),
  apiKey,
  maxConcurrent: raw.max_concurrent,
  requestsPerSecond: raw.requests_per_second,
  pace: { firstSeconds: raw.poll_seconds.first, maxSeconds: raw.poll_seconds.max },
});

/**
 * The model as requests are read with it: what its vendor cannot do is unsupported, whatever the
 * file says.
 */
export function toVideoModel(model: string, raw: RawVideoModel, kindOf: KindOf): VideoModel {
  const bounds = boundsOf(raw, kindOf);
  const lastFrame = raw.last_frame ?? (bounds.lastFrame === false ? 'none' : undefined);
  return {
    name: model,
    provider: raw.provider,
    upstreamModel: raw.upstream_model,
    price: { secondQuota: raw.second_quota, audioSecondQuota: raw.audio_second_quota },
    duration: raw.duration,
    ratio: raw.ratio,
    resolution: raw.resolution,
    references: raw.references,
    frames: raw.frames,
    generateAudioByDefault: raw.generate_audio,
    mediaOnly: raw.media_only,
    unsupported: [
      ...new Set([
        ...raw.unsupported,
        ...(bounds.unsupported ?? []),
        ...(lastFrame === 'none' ? (['return_last_frame'] as const) : []),
      ]),
    ],
    ...(lastFrame !== undefined && { lastFrame }),
    promptMaxCharacters: Math.min(
      raw.prompt_max_characters,
      bounds.promptMaxCharacters ?? Infinity,
    ),
    expiresAfterSeconds: raw.expires_after_seconds,
    retentionDays: raw.retention_days,
  };
}
