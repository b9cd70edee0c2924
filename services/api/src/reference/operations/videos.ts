import { exclusivePairs, videoRequestSchema, videoStatusSchema } from '@gateway/contracts';
import type { ErrorCode } from '@gateway/domain';
import { ref } from '../../http/resource-schemas.ts';
import {
  respondsWith,
  idempotencyKey,
  idSchema,
  pageParameters,
  type Body,
  type Operation,
  type Parameter,
} from '../operation.ts';

const tag = 'Videos';
const taskIds = { id: 'task' } as const;
const moment = { type: 'string', pattern: '^(\\d{1,12}|\\d{4}-\\d\\d-\\d\\d[Tt ]\\S+)$' };

const include: Parameter = {
  name: 'include',
  schema: { type: 'string', enum: ['request'] },
  description: '`request`: each task is shown with what was asked for, its prompt included.',
};

const filters: readonly Parameter[] = [
  ...pageParameters(idSchema('task')),
  {
    name: 'status',
    schema: videoStatusSchema,
    description: 'Only tasks with this status.',
  },
  {
    name: 'model',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    description: 'Only tasks of this model.',
    example: 'sandbox-video',
  },
  {
    name: 'created_after',
    schema: moment,
    description: 'Only tasks created after this moment: Unix seconds, or RFC 3339.',
    example: '2026-01-31T12:00:00Z',
  },
  {
    name: 'created_before',
    schema: moment,
    description: 'Only tasks created before this moment: Unix seconds, or RFC 3339.',
  },
  { name: 'key', schema: idSchema('key'), description: 'Only tasks created with this key.' },
  {
    name: 'id_prefix',
    schema: { type: 'string', pattern: '^video_[0-9a-hjkmnp-tv-z]{0,26}$' },
    description: 'Only tasks whose id begins so.',
  },
  {
    name: 'q',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    description:
      'Only tasks whose prompt has all of these words, or parts of words, whatever their case; up to eight.',
    example: 'balloon',
  },
  {
    name: 'metadata',
    schema: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 8 },
    style: 'deepObject',
    description: 'Only tasks with this metadata: `metadata[order]=17`.',
  },
  include,
  {
    name: 'beta',
    schema: { type: 'string' },
    description: 'Ignored; some clients send it with every request.',
  },
];

const body: Body = {
  description:
    'One of two formats: `prompt` with `references`, or `content`. The model decides which values `duration`, `ratio` and `resolution` may have; see `GET /v1/models`.',
  content: {
    'application/json': {
      schema: ref('VideoRequest'),
      examples: {
        prompt: {
          summary: 'A prompt',
          value: {
            model: 'sandbox-video',
            prompt: 'a red balloon over Lisbon',
            duration: 5,
            ratio: '16:9',
            resolution: '720p',
            return_last_frame: true,
          },
        },
        references: {
          summary: 'With a first frame',
          value: {
            model: 'sandbox-video',
            prompt: 'it drifts out to sea',
            references: [
              { type: 'image', role: 'first_frame', url: 'https://example.com/balloon.png' },
            ],
          },
        },
        options: {
          summary: 'A draft, which costs less where it has a factor',
          value: { model: 'sandbox-video', prompt: 'a red balloon over Lisbon', draft: true },
        },
        task: {
          summary: 'An edit of a video',
          value: {
            model: 'sandbox-video',
            prompt: 'the balloon is blue',
            task: 'edit',
            references: [{ type: 'video', url: 'https://example.com/balloon.mp4' }],
          },
        },
        content: {
          summary: 'The other format',
          value: {
            model: 'sandbox-video',
            content: [{ type: 'text', text: 'a red balloon over Lisbon' }],
            aspect_ratio: '9:16',
            aigc_watermark: false,
            metadata: { order: '17' },
          },
        },
      },
    },
  },
};

const bodyErrors: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_parameter',
  'unknown_parameter',
  'missing_parameter',
  'mixed_formats',
  'conflicting_aliases',
  'unsupported_parameter',
  'invalid_callback_url',
  'model_not_allowed',
  'model_not_found',
  'asset_not_found',
  'task_not_found',
  'payload_too_large',
  'unsupported_media_type',
  'overloaded',
];
const named: readonly ErrorCode[] = ['task_not_found'];

export const videoSchemas = {
  VideoRequest: {
    ...videoRequestSchema,
    not: {
      anyOf: exclusivePairs.map((pair) => ({
        required: pair,
        // A schema that names no fields of its own makes linters doubt what it requires.
        properties: Object.fromEntries(pair.map((field) => [field, {}])),
      })),
    },
  },
} as const;

export const videoOperations: readonly Operation[] = [
  {
    id: 'createVideo',
    method: 'post',
    path: '/v1/videos',
    tag,
    access: 'videos:write',
    summary: 'Create a video task',
    body,
    headers: [idempotencyKey],
    description:
      'Prices the request, reserves its quota and records the task. A refused request costs nothing and leaves nothing behind.',
    responses: respondsWith('Video', 'The task.', ['Location', 'Idempotency-Replayed']),
    errors: [
      ...bodyErrors,
      'account_suspended',
      'insufficient_quota',
      'idempotency_key_reused',
      'too_many_tasks',
      'upstream_unavailable',
      'billing_unavailable',
      'outcome_unknown',
    ],
  },
  {
    id: 'listVideos',
    method: 'get',
    path: '/v1/videos',
    tag,
    access: 'videos:read',
    summary: 'List video tasks',
    query: filters,
    description:
      'With `key`, `q` or `metadata` a page looks through 500 tasks at most: it may have fewer items than `limit`, or none, and yet `has_more`. Then `last_id` says how far it got.',
    responses: respondsWith('VideoList', 'The account’s tasks, newest first.'),
    errors: ['invalid_parameter', 'unknown_parameter'],
  },
  {
    id: 'quoteVideo',
    method: 'post',
    path: '/v1/videos/quote',
    tag,
    access: 'videos:write',
    summary: 'Quote the price of a video',
    body,
    description: 'Checks and prices the body as a creation would, but creates nothing.',
    responses: respondsWith('VideoQuote', 'What a creation with this body would reserve.'),
    errors: bodyErrors,
  },
  {
    id: 'getVideo',
    method: 'get',
    path: '/v1/videos/{id}',
    tag,
    access: 'videos:read',
    summary: 'Read a video task',
    ids: taskIds,
    query: [include],
    responses: respondsWith('Video', 'The task, with fresh addresses for its files.'),
    errors: named,
  },
  {
    id: 'deleteVideo',
    method: 'delete',
    path: '/v1/videos/{id}',
    tag,
    access: 'videos:write',
    summary: 'Delete a finished video task and its files',
    ids: taskIds,
    responses: respondsWith('VideoDeleted', 'The task is gone.'),
    errors: [...named, 'task_not_terminal', 'billing_unavailable'],
  },
  {
    id: 'cancelVideo',
    method: 'post',
    path: '/v1/videos/{id}/cancel',
    tag,
    access: 'videos:write',
    summary: 'Cancel a video task',
    ids: taskIds,
    responses: respondsWith('Video', 'The cancelled task.'),
    errors: [...named, 'not_cancellable', 'upstream_timeout'],
  },
  {
    id: 'listVideoMoments',
    method: 'get',
    path: '/v1/videos/{id}/timeline',
    tag,
    access: 'videos:read',
    summary: 'Read when what happened to a task',
    description:
      'Every moment on record: quota held, queued, slot given (`admitted`), sent to the vendor (`submitted`), taken by it (`running`), file stored, end, charge or release, each status that the callback address took. What has not happened is not there.',
    ids: taskIds,
    responses: respondsWith('VideoMomentList', 'The moments, oldest first.'),
    errors: named,
  },
  {
    id: 'listVideoEvents',
    method: 'get',
    path: '/v1/videos/{id}/events',
    tag,
    access: 'videos:read',
    summary: 'Read or follow what happens to a task',
    ids: taskIds,
    description:
      'With `Accept: text/event-stream`, a stream: one event for each status. `id` is its sequence number, `event` the status, and `data` the task as it was then, which the schema describes. The stream ends after the last status.',
    headers: [
      {
        name: 'Last-Event-ID',
        schema: { type: 'string', pattern: '^\\d{1,9}$' },
        description: 'To resume a stream: the last event that you received.',
      },
    ],
    responses: {
      200: {
        description: 'All events so far, or a stream of them.',
        content: {
          'application/json': ref('VideoEventList'),
          'text/event-stream': ref('Video'),
        },
      },
      204: {
        description: 'There is nothing to resume: the client has seen the last status.',
      },
    },
    errors: named,
  },
];
