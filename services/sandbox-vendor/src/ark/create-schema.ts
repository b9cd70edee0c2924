import type { ErrorObject } from 'ajv';
import { createAjv } from '../http/ajv.ts';
import type { MediaItem } from '../tasks/inputs.ts';
import { ArkError } from './errors.ts';

export type ContentItem =
  | { readonly type: 'text'; readonly text: string }
  | MediaItem
  | { readonly type: 'draft_task'; readonly draft_task: { readonly id: string } };

/** The body of a creation once its types are known to be right. */
export interface CreateBody {
  readonly model: string;
  readonly content: readonly ContentItem[];
  readonly callback_url?: string;
  readonly return_last_frame?: boolean;
  readonly service_tier?: 'default' | 'flex';
  readonly execution_expires_after?: number;
  readonly generate_audio?: boolean;
  readonly draft?: boolean;
  readonly camera_fixed?: boolean;
  readonly watermark?: boolean;
  readonly seed?: number;
  readonly resolution?: string;
  readonly ratio?: string;
  readonly duration?: number;
  readonly frames?: number;
  readonly priority?: number;
  readonly safety_identifier?: string;
  readonly tools?: readonly { readonly type: 'web_search' }[];
  readonly omni_reference_task_type?: 'auto' | 'reference' | 'edit' | 'extend';
  readonly output_format?: 'mp4' | 'mov';
}

const flag = { type: 'boolean' } as const;
const locator = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: { url: { type: 'string', minLength: 1 } },
} as const;
const media = (type: string, ...roles: readonly string[]): object => ({
  additionalProperties: false,
  required: ['type', type],
  properties: { type: { const: type }, [type]: locator, role: { enum: roles } },
});

const contentItem = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [
    {
      additionalProperties: false,
      required: ['type', 'text'],
      properties: { type: { const: 'text' }, text: { type: 'string' } },
    },
    media('image_url', 'first_frame', 'last_frame', 'reference_image'),
    media('video_url', 'reference_video'),
    media('audio_url', 'reference_audio'),
    {
      additionalProperties: false,
      required: ['type', 'draft_task'],
      properties: {
        type: { const: 'draft_task' },
        draft_task: {
          type: 'object',
          additionalProperties: false,
          required: ['id'],
          properties: { id: { type: 'string' } },
        },
      },
    },
  ],
};

/**
 * Every documented field with its type; which values and fields a model takes is decided elsewhere.
 */
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['model', 'content'],
  properties: {
    model: { type: 'string', minLength: 1 },
    content: { type: 'array', minItems: 1, maxItems: 64, items: contentItem },
    callback_url: { type: 'string', minLength: 1, maxLength: 2048 },
    return_last_frame: flag,
    service_tier: { enum: ['default', 'flex'] },
    execution_expires_after: { type: 'integer' },
    generate_audio: flag,
    draft: flag,
    camera_fixed: flag,
    watermark: flag,
    seed: { type: 'integer', minimum: -1, maximum: 4_294_967_295 },
    resolution: { type: 'string' },
    ratio: { type: 'string' },
    duration: { type: 'integer' },
    frames: { type: 'integer' },
    priority: { type: 'integer', minimum: 0, maximum: 9 },
    safety_identifier: { type: 'string', minLength: 1, maxLength: 64 },
    tools: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['type'],
        properties: { type: { const: 'web_search' } },
      },
    },
    omni_reference_task_type: { enum: ['auto', 'reference', 'edit', 'extend'] },
    output_format: { enum: ['mp4', 'mov'] },
  },
};

const validate = createAjv({ discriminator: true, strictTypes: false }).compile<CreateBody>(schema);

/** The body with its types checked; throws the vendor's response to a wrong one. */
export function readCreateBody(body: unknown): CreateBody {
  if (validate(body)) return body;
  const [first] = validate.errors ?? [];
  throw first === undefined
    ? new ArkError('InvalidParameter', 'The request body is not valid.')
    : asArkError(first);
}

/** `/content/0/text` is `content[0].text` for the vendor. */
const pathOf = (pointer: string): string =>
  pointer
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');
const join = (path: string, key: unknown): string =>
  path === '' ? String(key) : `${path}.${String(key)}`;

function asArkError({ keyword, instancePath, params, message }: ErrorObject): ArkError {
  const path = pathOf(instancePath);
  const details = params as Readonly<Record<string, unknown>>;
  if (keyword === 'required') {
    const param = join(path, details['missingProperty']);
    return new ArkError('MissingParameter', `The request is missing the parameter \`${param}\`.`, {
      param,
    });
  }
  if (keyword === 'additionalProperties') {
    const param = join(path, details['additionalProperty']);
    return new ArkError('InvalidParameter', `The parameter \`${param}\` is unknown.`, { param });
  }
  const param = keyword === 'discriminator' ? join(path, 'type') : path;
  return new ArkError(
    'InvalidParameter',
    `The parameter \`${param === '' ? 'body' : param}\` is not valid: ${message ?? keyword}.`,
    { param },
  );
}
