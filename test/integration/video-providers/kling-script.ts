import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

const anError = (status: number, code: number, message: string): ScriptedResponse => ({
  status,
  body: { code, message, request_id: 'CjhKdWo1' },
});

const envelope = (data: unknown): ScriptedResponse => ({
  status: 200,
  body: { code: 0, message: 'SUCCEED', request_id: 'CjhKdWo1', data },
});

const aTask = (id: string, fields: object): ScriptedResponse =>
  envelope([
    {
      id,
      message: '',
      create_time: 1767225600000,
      update_time: 1767225605000,
      external_id: 'video_1',
      outputs: [],
      billing: [],
      ...fields,
    },
  ]);

const finished = (id: string, url: string, billing: readonly object[] = []): ScriptedResponse =>
  aTask(id, {
    status: 'succeeded',
    outputs: [
      { type: 'cover', url: 'https://files.example/cover.png' },
      { type: 'video', id: '9', url, watermark_url: '', duration: '5' },
    ],
    billing,
  });

const url = 'https://files.example/v.mp4';
const id = 'cgt-20260101000000-abcde';

/** One id is a poll, several or a name are a list. */
function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST') {
    return /^\/(text-to|image-to|omni)-video\//.test(path) ? 'create' : undefined;
  }
  if (method !== 'GET' || !path.startsWith('/tasks?')) return undefined;
  return path.startsWith('/tasks?task_ids=') && !path.includes(',') ? 'poll' : 'list';
}

const idsIn = ({ path }: SeenRequest): readonly string[] =>
  (new URLSearchParams(path.split('?')[1]).get('task_ids') ?? '').split(',');

const tasksIn = ({ body }: ScriptedResponse): unknown =>
  typeof body === 'object' && 'data' in body ? (body.data as readonly unknown[])[0] : body;

/** The responses of Kling's newer interface, after its documentation. */
export const klingScript = {
  basePath: '',
  callOf,
  keyHeader: { name: 'authorization', value: (apiKey) => `Bearer ${apiKey}` },
  create: {
    accepted: (taskId) => envelope({ id: taskId, status: 'submitted', external_id: 'video_1' }),
    refused: (sentence) => anError(400, 1201, sentence),
    moderated: anError(400, 1301, 'the request triggered the content security policy'),
    accountUnusable: anError(429, 1102, 'resource pack exhausted'),
    busy: { ...anError(429, 1303, 'parallel task over limit'), headers: { 'retry-after': '7' } },
    withoutId: envelope({}),
    insideSuccess: {
      'bad parameters': {
        response: anError(200, 1201, 'duration is invalid'),
        reads: { kind: 'refused', failure: 'invalid_request', reason: 'duration is invalid' },
      },
      'refused content': {
        response: anError(200, 1301, 'content security'),
        reads: { kind: 'refused', failure: 'content_policy' },
      },
      'an account in arrears': {
        response: anError(200, 1101, 'in arrears'),
        reads: { kind: 'unavailable', cause: 'account' },
      },
      'an address that is not listed': {
        response: anError(200, 1304, 'IP not in whitelist'),
        reads: { kind: 'unavailable', cause: 'account' },
      },
      'a model that does not exist': {
        response: anError(200, 1203, 'no such model'),
        reads: { kind: 'unavailable', cause: 'model' },
      },
      'too many at once': {
        response: anError(200, 1303, 'parallel'),
        reads: { kind: 'busy' },
      },
      'a fault of the vendor, after which a task may exist': {
        response: anError(200, 5000, 'internal'),
        reads: { kind: 'unknown' },
      },
      'an id beside a refusal, which is none': {
        response: { status: 200, body: { code: 5001, message: 'x', data: { id } } },
        reads: { kind: 'unknown' },
      },
    },
  },
  task: {
    queued: (taskId) => aTask(taskId, { status: 'submitted' }),
    running: (taskId) => aTask(taskId, { status: 'processing' }),
    succeeded: (taskId, videoUrl) => finished(taskId, videoUrl),
    withoutOutput: (taskId) => aTask(taskId, { status: 'succeeded' }),
    failed: (taskId) => aTask(taskId, { status: 'failed', message: 'internal error' }),
    moderated: (taskId) =>
      aTask(taskId, { status: 'failed', message: 'Failure to pass the risk control system' }),
    withStatus: (taskId, status) => aTask(taskId, { status }),
    missing: anError(404, 1203, 'the requested resource does not exist'),
    alsoMissing: {
      'a list without it': envelope([]),
      'inside a 200': anError(200, 1203, 'not found'),
    },
    charged: {
      'in money': {
        response: (taskId, videoUrl) =>
          finished(taskId, videoUrl, [
            { charge_type: 'cash', amount: '0.42', currency: 'USD', list_price: '0.42' },
          ]),
        usage: { cost: { amount: '0.42', currency: 'USD' } },
      },
      'as a number': {
        response: (taskId, videoUrl) =>
          finished(taskId, videoUrl, [{ charge_type: 'cash', amount: 0.1, currency: 'usd' }]),
        usage: { cost: { amount: '0.1', currency: 'USD' } },
      },
    },
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an envelope without a list': envelope({}),
      'a task without a status': aTask(id, {}),
      'a status that is not a word': aTask(id, { status: 3 }),
      'another task': finished('8001', url),
      'a rate limit inside a 200': anError(200, 1302, 'too fast'),
      'a code without words': { status: 200, body: { code: 5002 } },
    },
  },
  list: (tasks) =>
    envelope(
      tasks.map(({ vendorTaskId, correlation }) => ({
        id: vendorTaskId,
        status: 'processing',
        external_id: correlation,
      })),
    ),
  findsOnly: true,
  many: {
    list: (responses) => envelope(responses.map(tasksIn)),
    askedFor: idsIn,
  },
} satisfies VendorScript;
