import type { PollPace, VideoPrice } from '@gateway/domain';

export const videoProviderKinds = ['ark'] as const;
export type VideoProviderKind = (typeof videoProviderKinds)[number];

/** A vendor as the operator configured it. */
export interface ProviderSettings {
  readonly name: string;
  readonly kind: VideoProviderKind;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Tasks at the vendor at once, over all replicas. */
  readonly maxConcurrent: number;
  /** Control calls to the vendor, over all replicas. */
  readonly requestsPerSecond: number;
  readonly pace: PollPace;
}

/** Request fields that a model may be configured not to support. */
export const optionalFields = ['seed', 'watermark', 'generate_audio', 'return_last_frame'] as const;
export type OptionalField = (typeof optionalFields)[number];

export const frameRoles = ['first_frame', 'last_frame'] as const;
export type FrameRole = (typeof frameRoles)[number];

export interface VideoModel {
  readonly name: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly price: VideoPrice;
  readonly duration: { readonly min: number; readonly max: number; readonly default: number; readonly auto: boolean };
  readonly ratio: Choice;
  readonly resolution: Choice;
  readonly references: { readonly image: number; readonly video: number; readonly audio: number };
  readonly frames: readonly FrameRole[];
  readonly generateAudioByDefault: boolean;
  readonly mediaOnly: boolean;
  readonly unsupported: readonly OptionalField[];
  readonly promptMaxCharacters: number;
  readonly expiresAfterSeconds: number;
  readonly retentionDays: number;
}

export interface Choice {
  readonly allowed: readonly string[];
  readonly default: string;
}

/** The operator's file, checked, with defaults filled in and secrets resolved. */
export interface Configuration {
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  readonly models: ReadonlyMap<string, VideoModel>;
}

const positive = { type: 'integer', minimum: 1 } as const;
const quota = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;
const count = { type: 'integer', minimum: 0, maximum: 64 } as const;
const name = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$', 'x-must-be': 'a name of letters, digits, dots, dashes and underscores, at most 64' } as const;

const choice = (value: object) =>
  ({
    type: 'object', additionalProperties: false, required: ['allowed', 'default'],
    properties: { allowed: { type: 'array', minItems: 1, uniqueItems: true, items: value }, default: value },
  }) as const;

const provider = {
  type: 'object', additionalProperties: false, required: ['kind', 'base_url'],
  properties: {
    kind: { enum: videoProviderKinds, 'x-must-be': `one of ${videoProviderKinds.join(', ')}` },
    base_url: { type: 'string', pattern: '^https?://', 'x-must-be': 'an http or https address' },
    api_key: { type: 'string', pattern: '^\\$\\{[A-Z][A-Z0-9_]*\\}$', 'x-must-be': 'a reference to an environment variable, for instance ${ARK_API_KEY}' },
    api_key_file: { type: 'string', minLength: 1, 'x-must-be': 'the path of a file that holds the key' },
    max_concurrent: { ...positive, default: 10 },
    requests_per_second: { type: 'number', exclusiveMinimum: 0, default: 10, 'x-must-be': 'a number above 0' },
    poll_seconds: {
      type: 'object', additionalProperties: false, default: {},
      properties: { first: { type: 'number', minimum: 0.05, default: 3 }, max: { type: 'number', minimum: 0.05, default: 30 } },
    },
  },
} as const;

const videoModel = {
  type: 'object', additionalProperties: false,
  required: ['kind', 'provider', 'upstream_model', 'second_quota', 'duration', 'ratio', 'resolution'],
  properties: {
    kind: { const: 'video', 'x-must-be': 'video' },
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
      type: 'object', additionalProperties: false, required: ['min', 'max', 'default'],
      properties: { min: positive, max: { ...positive, maximum: 3600 }, default: positive, auto: { type: 'boolean', default: false } },
    },
    ratio: choice({ type: 'string', pattern: '^(\\d{1,3}:\\d{1,3}|adaptive)$', 'x-must-be': 'a ratio such as "16:9", or "adaptive"' }),
    resolution: choice({ type: 'string', minLength: 1 }),
    references: {
      type: 'object', additionalProperties: false, default: {},
      properties: { image: { ...count, default: 0 }, video: { ...count, default: 0 }, audio: { ...count, default: 0 } },
    },
    frames: { type: 'array', uniqueItems: true, items: { enum: frameRoles, 'x-must-be': `one of ${frameRoles.join(', ')}` }, default: [] },
    generate_audio: { type: 'boolean', default: false },
    media_only: { type: 'boolean', default: false },
    unsupported: { type: 'array', uniqueItems: true, items: { enum: optionalFields, 'x-must-be': `one of ${optionalFields.join(', ')}` }, default: [] },
    prompt_max_characters: { ...positive, default: 10_000 },
    expires_after_seconds: { type: 'integer', minimum: 1, maximum: 604_800, default: 172_800 },
    retention_days: { ...positive, default: 30 },
  },
} as const;

/** JSON Schema of config/gateway.yaml; also written to config/gateway.schema.json for editors. */
export const configurationSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Generation gateway: vendors, models and prices',
  type: 'object', additionalProperties: false, required: ['providers', 'models'],
  properties: {
    providers: { type: 'object', minProperties: 1, propertyNames: name, additionalProperties: provider },
    models: { type: 'object', minProperties: 1, propertyNames: name, additionalProperties: videoModel },
  },
} as const;

/** The file's own spelling of a provider, after validation with defaults. */
export interface RawProvider {
  kind: VideoProviderKind;
  base_url: string;
  api_key?: string;
  api_key_file?: string;
  max_concurrent: number;
  requests_per_second: number;
  poll_seconds: { first: number; max: number };
}

/** The file's own spelling of a video model, after validation with defaults. */
export interface RawModel {
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
  prompt_max_characters: number;
  expires_after_seconds: number;
  retention_days: number;
}

export interface RawConfiguration {
  providers: Record<string, RawProvider>;
  models: Record<string, RawModel>;
}
