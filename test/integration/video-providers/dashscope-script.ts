import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

const creationPath = '/api/v1/services/aigc/video-generation/video-synthesis';
const tasks = '/api/v1/tasks/';

const anError = (
  status: number,
  [code, message]: readonly [code: string, message: string],
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse => ({ status, headers, body: { code, message, request_id: 'r-1' } });

const aTask = (
  id: string,
  status: unknown,
  { usage, ...output }: Readonly<Record<string, unknown>> = {},
): ScriptedResponse => ({
  status: 200,
  body: {
    request_id: 'r-1',
    output: { task_id: id, task_status: status, submit_time: '2026-01-01 00:00:00.000', ...output },
    ...(usage !== undefined && { usage }),
  },
});

function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST' && path === creationPath) return 'create';
  if (!path.startsWith(tasks)) return undefined;
  if (method === 'GET') return 'poll';
  return method === 'POST' && path.endsWith('/cancel') ? 'cancel' : undefined;
}

const url = 'https://files.example/video.mp4';
const failed = (id: string, code: string, message: string): ScriptedResponse =>
  aTask(id, 'FAILED', { code, message });

/** The responses of Alibaba's Model Studio, after its documentation. */
export const dashscopeScript = {
  basePath: '/api/v1',
  callOf,
  keyHeader: { name: 'authorization', value: (apiKey) => `Bearer ${apiKey}` },
  create: {
    accepted: (id) => ({
      status: 200,
      body: { output: { task_id: id, task_status: 'PENDING' }, request_id: 'r-1' },
    }),
    refused: (sentence) => anError(400, ['InvalidParameter', sentence]),
    moderated: anError(400, ['DataInspectionFailed', 'Input data may contain bad content.']),
    accountUnusable: anError(400, ['Arrearage', 'Access denied.']),
    busy: anError(429, ['Throttling.RateQuota', 'Requests rate limit exceeded'], {
      'retry-after': '7',
    }),
    withoutId: { status: 200, body: { output: { task_status: 'PENDING' }, request_id: 'r-1' } },
  },
  task: {
    queued: (id) => aTask(id, 'PENDING'),
    running: (id) => aTask(id, 'RUNNING'),
    succeeded: (id, videoUrl) =>
      aTask(id, 'SUCCEEDED', {
        video_url: videoUrl,
        usage: { duration: 5, output_video_duration: 5, SR: 720, ratio: '16:9' },
      }),
    withoutOutput: (id) => aTask(id, 'SUCCEEDED'),
    failed: (id) => failed(id, 'InternalError', 'Internal server error'),
    moderated: (id) => failed(id, 'SomethingElse', 'Green net check failed for the output'),
    cancelled: (id) => aTask(id, 'CANCELED'),
    withStatus: (id, status) => aTask(id, status),
    missing: anError(404, ['NotFound', 'The task does not exist']),
    alsoMissing: {
      'a task of no known status': {
        status: 200,
        body: { request_id: 'r-1', output: { task_status: 'UNKNOWN' } },
      },
    },
    charged: {
      'seconds of clips beside those that were made': {
        response: (id, videoUrl) =>
          aTask(id, 'SUCCEEDED', {
            video_url: videoUrl,
            usage: { duration: 12.5, input_video_duration: 7.5, output_video_duration: 5, SR: 720 },
          }),
        usage: { chargedSeconds: 12.5 },
      },
    },
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an object without a task': { status: 200, body: {} },
      'a status that is not a word': aTask('cgt-20260101000000-abcde', 3),
      'another task': aTask('other', 'SUCCEEDED', { video_url: url }),
      'an empty response': { status: 202 },
    },
  },
  cancel: {
    done: { status: 200, body: { request_id: 'r-1' } },
    refused: anError(400, ['UnsupportedOperation', 'The task is not in PENDING status']),
  },
} satisfies VendorScript;
