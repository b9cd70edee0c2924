import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

const tasks = '/api/v3/contents/generations/tasks';
const unixSeconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

export const arkError = (
  status: number,
  code: string | number,
  message = 'something about it',
): ScriptedResponse => ({
  status,
  body: { error: { code, message, param: '', type: 'BadRequest' } },
});

export const arkTask = (id: string, fields: object): ScriptedResponse => ({
  status: 200,
  body: {
    id,
    model: 'doubao-seedance-2-0-260128',
    created_at: 1767225600,
    updated_at: 1767225605,
    service_tier: 'default',
    execution_expires_after: 172800,
    ...fields,
  },
});

function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST') return path === tasks ? 'create' : undefined;
  if (method === 'GET' && path.startsWith(`${tasks}?`)) return 'list';
  if (!path.startsWith(`${tasks}/`)) return undefined;
  return method === 'DELETE' ? 'cancel' : 'poll';
}

/** The responses of Ark, after its documentation. */
export const arkScript = {
  basePath: '/api/v3',
  callOf,
  keyHeader: { name: 'authorization', value: (apiKey) => `Bearer ${apiKey}` },
  create: {
    accepted: (id) => ({ status: 200, body: { id } }),
    refused: (sentence) => arkError(400, 'InvalidParameter', sentence),
    moderated: arkError(400, 'InputTextSensitiveContentDetected'),
    accountUnusable: arkError(
      403,
      'AccountOverdueError',
      'Account acme-films has an overdue balance',
    ),
    busy: {
      ...arkError(429, 'RateLimitExceeded.EndpointRPMExceeded'),
      headers: { 'retry-after': '7' },
    },
    withoutId: { status: 200, body: { data: {} } },
  },
  task: {
    queued: (id) => arkTask(id, { status: 'queued' }),
    running: (id) => arkTask(id, { status: 'running' }),
    succeeded: (id, videoUrl) =>
      arkTask(id, { status: 'succeeded', content: { video_url: videoUrl }, duration: 5 }),
    withoutOutput: (id) => arkTask(id, { status: 'succeeded', content: {} }),
    failed: (id) =>
      arkTask(id, {
        status: 'failed',
        error: { code: 'InternalServiceError', message: 'The render failed.' },
      }),
    moderated: (id) =>
      arkTask(id, {
        status: 'failed',
        error: {
          code: 'OutputVideoSensitiveContentDetected',
          message: 'The video may contain sensitive information.',
        },
      }),
    expired: (id) => arkTask(id, { status: 'expired' }),
    cancelled: (id) => arkTask(id, { status: 'cancelled' }),
    withStatus: (id, status) => arkTask(id, { status }),
    missing: arkError(
      404,
      'ResourceNotFound',
      'The specified task cgt-20260101000000-abcde is not found',
    ),
    charged: {
      tokens: {
        response: (id, videoUrl) =>
          arkTask(id, {
            status: 'succeeded',
            content: { video_url: videoUrl },
            duration: 5,
            usage: { completion_tokens: 108_900, total_tokens: 108_900 },
          }),
        usage: { completionTokens: 108_900, totalTokens: 108_900 },
      },
    },
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an object without a status': { status: 200, body: {} },
      'a status that is not a word': arkTask('cgt-20260101000000-abcde', { status: 3 }),
      'another task': arkTask('cgt-20260101000000-other', {
        status: 'succeeded',
        content: { video_url: 'https://files.example/other.mp4' },
      }),
      'an empty response': { status: 202 },
    },
  },
  list: (items) => ({
    status: 200,
    body: {
      total: items.length,
      items: items.map(({ vendorTaskId: id, correlation, createdAt }) => ({
        id,
        status: 'running',
        safety_identifier: correlation,
        created_at: unixSeconds(createdAt),
      })),
    },
  }),
  many: {
    list: (responses) => ({
      status: 200,
      body: { total: responses.length, items: responses.map(({ body }) => body) },
    }),
    askedFor: ({ path }) => new URL(path, 'http://vendor').searchParams.getAll('filter.task_ids'),
  },
  cancel: { done: { status: 204 }, refused: arkError(409, 'InvalidAction', 'The task is running') },
} satisfies VendorScript;
