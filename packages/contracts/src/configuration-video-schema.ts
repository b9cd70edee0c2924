import { lastFrames, type LastFrame } from './configuration.ts';
import { name, positive, providerFields, type RawProviderFields } from './configuration-parts.ts';
import { retiresAt } from './retirement.ts';
import { videoOptions, type VideoOption } from './video-options.ts';
import { frameRoles, optionalFields, type FrameRole, type OptionalField } from './video-fields.ts';
import { costSchema, priceSchema, type RawCost, type RawPrice } from './configuration-price.ts';
import { routesSchema, type RawVideoRoute } from './configuration-route-schema.ts';

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
  required: ['duration', 'ratio', 'resolution'],
  // A provider beside the model is the short form of one route.
  if: { type: 'object', required: ['routes'] },
  else: { required: ['provider', 'upstream_model'] },
  properties: {
    kind: true,
    provider: name,
    upstream_model: { type: 'string', minLength: 1 },
    routes: routesSchema,
    busy_after_seconds: { type: 'integer', minimum: 0, maximum: 86_400, default: 30 },
    retry_failed: { type: 'boolean', default: false },
    second_quota: {
      if: { type: 'object' },
      then: { type: 'object', minProperties: 1, additionalProperties: quota },
      else: quota,
      'x-must-be': 'a whole number of quota units, or one for each resolution',
    },
    audio_second_quota: { ...quota, default: 0 },
    price: priceSchema,
    cost: costSchema,
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
    options: {
      type: 'array',
      uniqueItems: true,
      items: { enum: videoOptions, 'x-must-be': `one of ${videoOptions.join(', ')}` },
      default: [],
    },
    last_frame: { enum: lastFrames, 'x-must-be': `one of ${lastFrames.join(', ')}` },
    prompt_max_characters: { ...positive, default: 10_000 },
    expires_after_seconds: { type: 'integer', minimum: 1, maximum: 604_800, default: 172_800 },
    retention_days: { ...positive, default: 30 },
    retires_at: retiresAt,
  },
} as const;

/** The file's own spelling of a video provider, after validation with defaults. */
export interface RawVideoProvider extends RawProviderFields {
  kind: string;
  max_concurrent: number;
  requests_per_second: number;
  poll_seconds: { first: number; max: number };
}

/** The file's own spelling of a video model, after validation with defaults. */
export interface RawVideoModel {
  kind: 'video';
  /** With `upstream_model` and `cost` the short form of one route. */
  provider?: string | undefined;
  upstream_model?: string | undefined;
  routes?: RawVideoRoute[] | undefined;
  busy_after_seconds: number;
  retry_failed: boolean;
  /** The short form of a price of seconds of output. */
  second_quota?: number | Record<string, number> | undefined;
  audio_second_quota: number;
  price?: RawPrice | undefined;
  cost?: RawCost | undefined;
  duration: { min: number; max: number; default: number; auto: boolean };
  ratio: { allowed: string[]; default: string };
  resolution: { allowed: string[]; default: string };
  references: { image: number; video: number; audio: number };
  frames: FrameRole[];
  generate_audio: boolean;
  media_only: boolean;
  unsupported: OptionalField[];
  options: VideoOption[];
  last_frame?: LastFrame;
  prompt_max_characters: number;
  expires_after_seconds: number;
  retention_days: number;
  retires_at?: string;
}
