import { videoRequestSchema } from '@gateway/contracts';
import { taskStatuses, type ErrorCode } from '@gateway/domain';
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

const filters: readonly Parameter[] = [
  ...pageParameters(idSchema('task')),
  {
    name: 'status',
    schema: { type: 'string', enum: taskStatuses },
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
  'payload_too_large',
  'unsupported_media_type',
  'overloaded',
];
const named: readonly ErrorCode[] = ['invalid_parameter', 'task_not_found'];

export const videoSchemas = { VideoRequest: videoRequestSchema } as const;

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
    id: 'listVideoEvents',
    method: 'get',
    path: '/v1/videos/{id}/events',
    tag,
    access: 'videos:read',
    summary: 'Read or follow what happens to a task',
    ids: taskIds,
    description:
      'With `Accept: text/event-stream`, a stream: one event for each status, with the task as it was then as its data. The stream ends after the last status.',
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
          'text/event-stream': { type: 'string' },
        },
      },
      204: {
        description: 'There is nothing to resume: the client has seen the last status.',
      },
    },
    errors: named,
  },
];
