import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

/** `{"type":"error",…}` with the code at the end of the sentence, as the vendor writes it. */
const anError = (status: number, type: string, message: string): ScriptedResponse => ({
  status,
  body: {
    type: 'error',
    error: { type, message, http_code: String(status) },
    request_id: '02178806784989',
  },
});

/** The older envelope, whose status is always 200. */
const baseError = (code: number, message: string): ScriptedResponse => ({
  status: 200,
  body: { task_id: '', base_resp: { status_code: code, status_msg: message } },
});

const aTask = (id: string, fields: object): ScriptedResponse => ({
  status: 200,
  body: {
    task: {
      id,
      model: 'MiniMax-H3',
      resolution: '768P',
      duration: 5,
      ratio: '16:9',
      created_at: 1767225600,
      updated_at: 1767225605,
      task_type: 'video',
      ...fields,
    },
  },
});

function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST') return path === '/v2/video_generation' ? 'create' : undefined;
  if (method === 'GET') return path.startsWith('/v2/query/video_generation/') ? 'poll' : undefined;
  return method === 'DELETE' && path.startsWith('/v2/video_generation/') ? 'cancel' : undefined;
}

/** The responses of MiniMax's second video interface, after its documentation. */
export const minimaxScript = {
  basePath: '',
  callOf,
  keyHeader: { name: 'authorization', value: (apiKey) => `Bearer ${apiKey}` },
  create: {
    accepted: (id) => ({
      status: 200,
      body: { task_id: id, base_resp: { status_code: 0, status_msg: 'success' } },
    }),
    refused: (sentence) => anError(400, 'bad_request_error', `${sentence} (2013)`),
    moderated: anError(422, 'unprocessable_entity_error', 'input new_sensitive (1026)'),
    accountUnusable: anError(
      429,
      'rate_limit_error',
      'insufficient balance of account acme-films (1008)',
    ),
    busy: {
      ...anError(429, 'rate_limit_error', 'rate limit (1002)'),
      headers: { 'retry-after': '7' },
    },
    withoutId: { status: 200, body: { base_resp: { status_code: 0, status_msg: 'success' } } },
    insideSuccess: {
      'bad parameters': {
        response: baseError(2013, 'invalid params, duration'),
        reads: { kind: 'refused', failure: 'invalid_request', reason: 'invalid params, duration' },
      },
      'a moderated text': {
        response: baseError(1026, 'input new_sensitive'),
        reads: { kind: 'refused', failure: 'content_policy' },
      },
      'an empty account': {
        response: baseError(1008, 'insufficient balance'),
        reads: { kind: 'unavailable', cause: 'account' },
      },
      'a wrong key': {
        response: baseError(1004, 'login fail'),
        reads: { kind: 'unavailable', cause: 'account' },
      },
      'a rate limit': { response: baseError(1002, 'rate limit'), reads: { kind: 'busy' } },
      'the newer error': {
        response: {
          ...anError(422, 'unprocessable_entity_error', 'input new_sensitive (1026)'),
          status: 200,
        },
        reads: { kind: 'refused', failure: 'content_policy' },
      },
      'a fault of the vendor, after which a task may exist': {
        response: baseError(1000, 'unknown error'),
        reads: { kind: 'unknown' },
      },
      'a code that nobody knows': {
        response: baseError(9999, 'something'),
        reads: { kind: 'unknown' },
      },
    },
  },
  task: {
    queued: (id) => aTask(id, { status: 'queued' }),
    running: (id) => aTask(id, { status: 'running' }),
    succeeded: (id, url) =>
      aTask(id, {
        status: 'succeeded',
        content: { url },
        usage: { total_seconds: 5, output_seconds: 5 },
        error: null,
      }),
    withoutOutput: (id) => aTask(id, { status: 'succeeded', content: {} }),
    failed: (id) =>
      aTask(id, { status: 'failed', error: { code: '1000', message: 'unknown error' } }),
    moderated: (id) =>
      aTask(id, { status: 'failed', error: { code: 1027, message: 'output new_sensitive' } }),
    expired: (id) => aTask(id, { status: 'expired' }),
    cancelled: (id) => aTask(id, { status: 'cancelled' }),
    withStatus: (id, status) => aTask(id, { status }),
    missing: anError(404, 'bad_request_error', 'task not found (2013)'),
    alsoMissing: {
      'as a bad parameter': anError(
        400,
        'bad_request_error',
        'invalid params, invalid task_id (2013)',
      ),
      'inside a 200': baseError(2013, 'invalid task_id'),
    },
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an object without a task': { status: 200, body: {} },
      'a task without a status': aTask('cgt-20260101000000-abcde', {}),
      'a status that is not a word': aTask('cgt-20260101000000-abcde', { status: 3 }),
      'another task': aTask('176843862716481', {
        status: 'succeeded',
        content: { url: 'https://files.example/other.mp4' },
      }),
      'an empty response': { status: 202 },
      'a rate limit inside a 200': baseError(1002, 'rate limit'),
      'a bad parameter that is not the id': anError(
        400,
        'bad_request_error',
        'invalid params (2013)',
      ),
    },
  },
  cancel: {
    done: {
      status: 200,
      body: {
        task_id: 'x',
        action: 'cancel',
        status: 'cancelled',
        base_resp: { status_code: 0, status_msg: 'success' },
      },
    },
    refused: anError(400, 'bad_request_error', 'the task is running (2013)'),
    refusedInsideSuccess: baseError(2013, 'the task is running'),
  },
} satisfies VendorScript;
