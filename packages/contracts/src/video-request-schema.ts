import { mediaKinds } from './media-kind.ts';
import { referenceRoles } from './task.ts';
import {
  largestPriority,
  serviceTiers,
  videoTasks,
  type ServiceTier,
  type VideoTask,
} from './video-options.ts';
import type { VideoModel } from './configuration.ts';
import type { VideoFormat } from './video-format.ts';

const url = {
  type: 'string',
  minLength: 1,
  'x-must-be': 'a URL, a data: URL, an asset id or the id of a video',
} as const;
const roles = {
  type: 'string',
  enum: referenceRoles,
  'x-must-be': `one of ${referenceRoles.join(', ')}`,
  'x-name': 'ReferenceRole',
} as const;
const flag = { type: 'boolean', 'x-must-be': 'true or false' } as const;

const locator = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: { url, asset_id: { type: 'string', minLength: 1, 'x-must-be': 'an asset id' } },
  'x-must-be': 'an object with either url or asset_id',
  'x-name': 'MediaLocator',
} as const;

const mediaItem = (type: string, name: string) => ({
  type: 'object',
  additionalProperties: false,
  required: ['type', type],
  properties: { type: { type: 'string', const: type }, [type]: locator, role: roles },
  'x-name': name,
});

/** Everything about the body of `POST /v1/videos` that does not depend on the model. */
export const videoRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['model'],
  'x-must-be': 'a JSON object',
  properties: {
    model: { type: 'string', minLength: 1, 'x-must-be': 'the id of a video model' },
    prompt: { type: 'string', 'x-must-be': 'a string' },
    references: {
      type: 'array',
      maxItems: 64,
      'x-must-be': 'an array of at most 64 references',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['type', 'url'],
        'x-must-be': 'an object with type, role and url',
        'x-name': 'VideoReference',
        properties: {
          type: {
            type: 'string',
            enum: mediaKinds,
            'x-must-be': `one of ${mediaKinds.join(', ')}`,
            'x-name': 'MediaKind',
          },
          role: roles,
          url,
        },
      },
    },
    content: {
      type: 'array',
      minItems: 1,
      maxItems: 65,
      'x-must-be': 'an array of 1 to 65 items',
      items: {
        type: 'object',
        required: ['type'],
        discriminator: { propertyName: 'type' },
        'x-must-be': 'an object whose type is text, image_url, video_url or audio_url',
        'x-name': 'VideoContentItem',
        oneOf: [
          {
            type: 'object',
            additionalProperties: false,
            required: ['type', 'text'],
            properties: {
              type: { type: 'string', const: 'text' },
              text: { type: 'string', minLength: 1, 'x-must-be': 'a non-empty string' },
            },
            'x-name': 'TextItem',
          },
          mediaItem('image_url', 'ImageItem'),
          mediaItem('video_url', 'VideoItem'),
          mediaItem('audio_url', 'AudioItem'),
        ],
      },
    },
    ratio: { type: 'string', 'x-must-be': 'a ratio such as "16:9"' },
    aspect_ratio: { type: 'string', 'x-must-be': 'a ratio such as "16:9"' },
    duration: { type: 'integer', 'x-must-be': 'an integer' },
    resolution: { type: 'string', 'x-must-be': 'a resolution such as "720p"' },
    watermark: flag,
    aigc_watermark: flag,
    seed: {
      type: 'integer',
      minimum: -1,
      maximum: 4_294_967_295,
      'x-must-be': 'an integer between -1 and 4294967295',
    },
    generate_audio: flag,
    return_last_frame: flag,
    service_tier: {
      type: 'string',
      enum: serviceTiers,
      'x-must-be': `one of ${serviceTiers.join(', ')}`,
      'x-name': 'ServiceTier',
    },
    draft: flag,
    priority: {
      type: 'integer',
      minimum: 0,
      maximum: largestPriority,
      'x-must-be': `an integer between 0 and ${largestPriority}`,
    },
    task: {
      type: 'string',
      enum: videoTasks,
      'x-must-be': `one of ${videoTasks.join(', ')}`,
      'x-name': 'VideoTask',
    },
    callback_url: { type: 'string', minLength: 1, 'x-must-be': 'a URL' },
    metadata: {
      type: 'object',
      maxProperties: 16,
      propertyNames: { minLength: 1, maxLength: 64 },
      additionalProperties: {
        type: 'string',
        maxLength: 512,
        'x-must-be': 'a string of at most 512 characters',
      },
      'x-must-be': 'an object of at most 16 string pairs, names at most 64 characters',
    },
  },
} as const;

/** The body after validation by the schema. */
export interface VideoRequestBody {
  model: string;
  prompt?: string;
  references?: { type: 'image' | 'video' | 'audio'; role?: string; url: string }[];
  content?: ContentItem[];
  ratio?: string;
  aspect_ratio?: string;
  duration?: number;
  resolution?: string;
  watermark?: boolean;
  aigc_watermark?: boolean;
  seed?: number;
  generate_audio?: boolean;
  return_last_frame?: boolean;
  service_tier?: ServiceTier;
  draft?: boolean;
  priority?: number;
  task?: VideoTask;
  callback_url?: string;
  metadata?: Record<string, string>;
}

export interface Locator {
  url?: string;
  asset_id?: string;
}

export type ContentItem =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: Locator; role?: string }
  | { type: 'video_url'; video_url: Locator; role?: string }
  | { type: 'audio_url'; audio_url: Locator; role?: string };

const quoted = (values: readonly string[]): string =>
  values.map((value) => JSON.stringify(value)).join(', ');

/**
 * The same schema with one model's own values, as far as its vendor's format can say them: they
 * give the errors their numbers.
 */
export function schemaForModel(model: VideoModel, format?: VideoFormat): object {
  const { min, max, auto } = model.duration;
  const range = Array.from({ length: max - min + 1 }, (_unused, index) => min + index);
  const durations =
    format === undefined ? range : range.filter((seconds) => format.seconds.includes(seconds));
  const choice =
    format === undefined
      ? `an integer between ${min} and ${max}`
      : `one of ${durations.join(', ')}`;
  const duration = {
    type: 'integer',
    enum: auto ? [-1, ...durations] : durations,
    'x-must-be': `${choice}${auto ? ', or -1 to let the model decide' : ''}`,
  };
  const ratio = {
    type: 'string',
    enum: model.ratio.allowed,
    'x-must-be': `one of ${quoted(model.ratio.allowed)}`,
  };
  const resolution = {
    type: 'string',
    enum: model.resolution.allowed,
    'x-must-be': `one of ${quoted(model.resolution.allowed)}`,
  };
  const prompt = {
    type: 'string',
    maxLength: model.promptMaxCharacters,
    'x-must-be': `a string of at most ${model.promptMaxCharacters} characters`,
  };
  return {
    ...videoRequestSchema,
    properties: {
      ...videoRequestSchema.properties,
      duration,
      ratio,
      aspect_ratio: ratio,
      resolution,
      prompt,
    },
  };
}
