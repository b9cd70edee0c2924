import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

const anError = (
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse => ({ status, headers, body: { error } });

const aTask = (id: string, status: unknown, fields: object = {}): ScriptedResponse => ({
  status: 200,
  body: { id, status, createdAt: '2026-01-01T00:00:00.000Z', ...fields },
});

function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST') return path === '/v1/text_to_video' ? 'create' : undefined;
  if (!path.startsWith('/v1/tasks/')) return undefined;
  return method === 'GET' ? 'poll' : method === 'DELETE' ? 'cancel' : undefined;
}

/** The responses of Runway's developer interface, after its client. */
export const runwayScript = {
  basePath: '',
  callOf,
  keyHeader: { name: 'authorization', value: (apiKey) => `Bearer ${apiKey}` },
  create: {
    accepted: (id) => ({ status: 200, body: { id, estimatedCost: { credits: 60 } } }),
    refused: (sentence) => anError(400, sentence),
    moderated: anError(400, 'The prompt did not pass content moderation.'),
    accountUnusable: anError(400, 'You do not have enough credits to run this task.'),
    busy: anError(429, 'Daily task limit reached.', { 'retry-after': '7' }),
    withoutId: { status: 200, body: { estimatedCost: { credits: 60 } } },
  },
  task: {
    queued: (id) => aTask(id, 'THROTTLED'),
    running: (id) => aTask(id, 'RUNNING', { progress: 0.4 }),
    succeeded: (id, url) => aTask(id, 'SUCCEEDED', { output: [url], cost: { credits: 60 } }),
    withoutOutput: (id) => aTask(id, 'SUCCEEDED', { output: [] }),
    failed: (id) =>
      aTask(id, 'FAILED', {
        failure: 'An unexpected error occurred.',
        failureCode: 'INTERNAL.BAD_OUTPUT.CODE01',
      }),
    moderated: (id) =>
      aTask(id, 'FAILED', {
        failure: 'The output was moderated.',
        failureCode: 'SAFETY.OUTPUT.VIDEO',
      }),
    cancelled: (id) => aTask(id, 'CANCELLED'),
    withStatus: (id, status) => aTask(id, status),
    missing: anError(404, 'The requested task was not found.'),
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an object without a status': { status: 200, body: {} },
      'a status that is not a word': aTask('cgt-20260101000000-abcde', 3),
      'another task': aTask('other', 'SUCCEEDED', { output: ['https://files.example/other.mp4'] }),
      'an empty response': { status: 202 },
    },
  },
  cancel: {
    done: { status: 204 },
    refused: anError(404, 'The requested task was not found.'),
  },
} satisfies VendorScript;
