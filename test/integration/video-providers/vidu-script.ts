import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

const anError = (
  code: number,
  [reason, message]: readonly [reason: string, message: string],
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse => ({ status: code, headers, body: { code, reason, message, metadata: {} } });

const aTask = (state: unknown, fields: object = {}): ScriptedResponse => ({
  status: 200,
  body: { state, err_code: '', credits: 100, payload: '', creations: [], ...fields },
});

function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST' && path === '/ent/v2/text2video') return 'create';
  if (!path.startsWith('/ent/v2/tasks/')) return undefined;
  if (method === 'GET') return path.endsWith('/creations') ? 'poll' : undefined;
  return method === 'POST' && path.endsWith('/cancel') ? 'cancel' : undefined;
}

/** The responses of Vidu; a poll's names no task. */
export const viduScript = {
  basePath: '',
  callOf,
  keyHeader: { name: 'authorization', value: (apiKey) => `Token ${apiKey}` },
  create: {
    accepted: (id) => ({ status: 200, body: { task_id: id, state: 'created', credits: 100 } }),
    refused: (sentence) => anError(400, ['FieldInvalid', sentence]),
    moderated: anError(400, ['AuditSubmitIllegal', 'the input did not pass the audit']),
    accountUnusable: anError(400, ['CreditInsufficient', 'not enough credits']),
    busy: anError(429, ['TooManyRequests', 'too many requests'], { 'retry-after': '7' }),
    withoutId: { status: 200, body: { state: 'created' } },
  },
  task: {
    queued: () => aTask('queueing'),
    running: () => aTask('processing'),
    succeeded: (id, url) => aTask('success', { creations: [{ id: `${id}1`, url }] }),
    withoutOutput: () => aTask('success'),
    failed: () => aTask('failed', { err_code: 'InternalServiceFailure' }),
    moderated: () => aTask('failed', { err_code: 'CreationPolicyViolation' }),
    cancelled: () => aTask('failed', { err_code: 'UserCancelled' }),
    withStatus: (_id, state) => aTask(state),
    missing: anError(404, ['TaskNotFound', 'the task does not exist']),
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an object without a state': { status: 200, body: {} },
      'a state that is not a word': aTask(3),
      'another task': aTask('success', {
        task_id: 'other',
        creations: [{ id: '1', url: 'https://files.example/other.mp4' }],
      }),
      'an empty response': { status: 202 },
    },
  },
  cancel: {
    done: { status: 200, body: {} },
    refused: anError(400, ['Conflict', 'the task cannot be cancelled']),
  },
} satisfies VendorScript;
