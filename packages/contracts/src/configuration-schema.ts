import { textProviderKinds } from './configuration.ts';
import { modelName, name, positive, providerFields } from './configuration-parts.ts';
import type { MediaKind } from './media-kind.ts';
import {
  textModelSchema,
  textProviderSchema,
  type RawTextModel,
  type RawTextProvider,
} from './configuration-text.ts';
import {
  videoModelSchema,
  videoProviderSchema,
  type RawVideoModel,
  type RawVideoProvider,
} from './configuration-video-schema.ts';

const modelKinds = ['video', 'text'] as const;

/** The fields of an object depend on its `kind`. */
const ofKind = (kinds: readonly string[], schema: object) =>
  ({
    if: { type: 'object', required: ['kind'], properties: { kind: { enum: kinds } } },
    then: schema,
  }) as const;

const providerSchema = (videoKinds: readonly string[]) => {
  const kinds = [...videoKinds, ...textProviderKinds];
  return {
    type: 'object',
    required: ['kind', 'base_url'],
    properties: {
      kind: { enum: kinds, 'x-must-be': `one of ${kinds.join(', ')}` },
      base_url: providerFields.base_url,
    },
    allOf: [
      ofKind(videoKinds, videoProviderSchema),
      ...textProviderKinds.map((kind) => ofKind([kind], textProviderSchema(kind))),
    ],
  } as const;
};

const model = {
  type: 'object',
  required: ['kind'],
  properties: { kind: { enum: modelKinds, 'x-must-be': modelKinds.join(' or ') } },
  allOf: [ofKind(['video'], videoModelSchema), ofKind(['text'], textModelSchema)],
} as const;

const bytes = { type: 'integer', minimum: 1, maximum: 1_000_000_000_000_000 } as const;

const limits = {
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: {
    default_key: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        requests_per_minute: { ...positive, default: 600 },
        concurrent_requests: { ...positive, default: 100 },
      },
    },
    default_account: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        active_videos: { ...positive, default: 100 },
        asset_bytes: { ...bytes, default: 10_737_418_240 },
      },
    },
    // What the strictest vendor documentation says.
    asset_bytes: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        image: { ...bytes, default: 30_000_000 },
        video: { ...bytes, default: 200_000_000 },
        audio: { ...bytes, default: 15_000_000 },
      },
    },
  },
} as const;

const quotaPerCurrency = {
  type: 'object',
  default: {},
  propertyNames: {
    pattern: '^[A-Z]{3}$',
    'x-must-be': 'a currency of three letters, for instance USD',
  },
  additionalProperties: {
    type: 'number',
    minimum: 0.000001,
    maximum: 1_000_000_000,
    'x-must-be': 'a number of quota units from 0.000001 to 1000000000',
  },
} as const;

/**
 * JSON Schema of config/gateway.yaml, with these kinds of video provider; also written to
 * config/gateway.schema.json for editors.
 */
export const configurationSchema = (videoKinds: readonly string[]) =>
  ({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Generation gateway: vendors, models, prices and limits',
    type: 'object',
    additionalProperties: false,
    required: ['providers', 'models'],
    properties: {
      providers: {
        type: 'object',
        minProperties: 1,
        propertyNames: name,
        additionalProperties: providerSchema(videoKinds),
      },
      models: {
        type: 'object',
        minProperties: 1,
        propertyNames: modelName,
        additionalProperties: model,
      },
      limits,
      quota_per_currency: quotaPerCurrency,
    },
  }) as const;

export type RawProvider = RawVideoProvider | RawTextProvider;
export type RawModel = RawVideoModel | RawTextModel;

/** The file's own spelling, after validation with defaults. */
export interface RawConfiguration {
  providers: Record<string, RawProvider>;
  models: Record<string, RawModel>;
  limits: {
    default_key: { requests_per_minute: number; concurrent_requests: number };
    default_account: { active_videos: number; asset_bytes: number };
    asset_bytes: Record<MediaKind, number>;
  };
  quota_per_currency: Record<string, number>;
}
