import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

const app = 'bytedance/seedance-2.5';
const requestIdOf = (vendorTaskId: string): string => vendorTaskId.split('/').at(-1) ?? '';

/** A refusal of the queue, with a sentence. */
const anError = (status: number, detail: string): ScriptedResponse => ({
  status,
  body: { detail },
});

/** A refusal of a model, part by part. */
const invalid = (type: string, msg: string): ScriptedResponse => ({
  status: 422,
  body: { detail: [{ loc: ['body', 'prompt'], msg, type }] },
});

function addresses(vendorTaskId: string): object {
  const requestId = requestIdOf(vendorTaskId);
  const address = `https://queue.fal.run/${app}/requests/${requestId}`;
  return {
    request_id: requestId,
    response_url: address,
    status_url: `${address}/status`,
    cancel_url: `${address}/cancel`,
  };
}

const statusOf = (
  vendorTaskId: string,
  status: unknown,
  { http = 202, ...fields }: { readonly http?: number; readonly [field: string]: unknown } = {},
): ScriptedResponse => ({
  status: http,
  body: { status, ...addresses(vendorTaskId), ...fields },
});

/** Over, with this result. */
const completed = (vendorTaskId: string, result: ScriptedResponse): ScriptedResponse => ({
  ...statusOf(vendorTaskId, 'COMPLETED', { http: 200, metrics: { inference_time: 1 } }),
  second: { path: /\/requests\/[^/]+$/, response: result },
});

function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST') return 'create';
  if (!path.startsWith(`/${app}/requests/`)) return undefined;
  if (method === 'PUT') return path.endsWith('/cancel') ? 'cancel' : undefined;
  return method === 'GET' ? 'poll' : undefined;
}

/** The responses of the queue of fal: a status first, and then the result. */
export const falScript = {
  basePath: '',
  vendorTaskId: `${app}/cgt-20260101000000-abcde`,
  callOf,
  keyHeader: { name: 'authorization', value: (apiKey) => `Key ${apiKey}` },
  create: {
    accepted: (id) => ({
      status: 200,
      body: { status: 'IN_QUEUE', queue_position: 0, ...addresses(id) },
    }),
    refused: (sentence) => invalid('value_error', sentence),
    moderated: invalid('content_policy_violation', 'The content was flagged.'),
    accountUnusable: anError(403, 'User is locked. Reason: Exhausted balance.'),
    busy: { ...anError(429, 'Rate limit exceeded'), headers: { 'retry-after': '7' } },
    withoutId: { status: 200, body: { status: 'IN_QUEUE', queue_position: 0 } },
  },
  task: {
    queued: (id) => statusOf(id, 'IN_QUEUE', { queue_position: 3 }),
    running: (id) => statusOf(id, 'IN_PROGRESS', { logs: null }),
    succeeded: (id, url) =>
      completed(id, {
        status: 200,
        body: { video: { url, content_type: 'video/mp4', file_size: 1 }, seed: 7 },
      }),
    withoutOutput: (id) => completed(id, { status: 200, body: { seed: 7 } }),
    failed: (id) =>
      completed(id, {
        ...invalid('no_media_generated', 'The model made nothing.'),
      }),
    moderated: (id) =>
      completed(id, invalid('content_policy_violation', 'The content was flagged.')),
    withStatus: (id, status) => statusOf(id, status),
    missing: anError(404, 'Request not found'),
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an object without a status': { status: 200, body: {} },
      'a status that is not a word': statusOf(`${app}/cgt-20260101000000-abcde`, 3),
      'another request': statusOf(`${app}/other`, 'COMPLETED'),
      'an empty response': { status: 202 },
      'a result that times out': completed(
        `${app}/cgt-20260101000000-abcde`,
        anError(504, 'Gateway timeout'),
      ),
      'a result that is not there yet': completed(
        `${app}/cgt-20260101000000-abcde`,
        anError(400, 'Request is still in progress'),
      ),
      'a page in place of a result': completed(`${app}/cgt-20260101000000-abcde`, {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: '<html>Sign in</html>',
      }),
    },
  },
  cancel: {
    done: { status: 202, body: { status: 'CANCELLATION_REQUESTED' } },
    refused: { status: 400, body: { status: 'ALREADY_COMPLETED' } },
  },
} satisfies VendorScript;
