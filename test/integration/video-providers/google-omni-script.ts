import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

const interactions = '/v1beta/interactions';

const anError = (
  code: number,
  [status, message]: readonly [status: string, message: string],
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse => ({ status: code, headers, body: { error: { code, message, status } } });

const anInteraction = (id: string, status: unknown, fields: object = {}): ScriptedResponse => ({
  status: 200,
  body: { id, object: 'interaction', status, ...fields },
});

/** What the model said last; a thought goes before it. */
const said = (...content: readonly object[]): object => ({
  steps: [
    { type: 'thought', content: [{ type: 'text', text: 'hm' }] },
    { type: 'model_output', content },
  ],
});
const usage = {
  usage: {
    total_output_tokens: 28_960,
    total_tokens: 28_970,
    output_tokens_by_modality: [{ modality: 'video', tokens: 28_960 }],
  },
};

function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST' && path === interactions) return 'create';
  if (!path.startsWith(`${interactions}/`)) return undefined;
  if (method === 'GET') return 'poll';
  return method === 'POST' && path.endsWith('/cancel') ? 'cancel' : undefined;
}

const id = 'cgt-20260101000000-abcde';
const uri = 'https://files.example/video.mp4?alt=media';
const charged = { completionTokens: 28_960, totalTokens: 28_970 };

/** The responses of Google's Interactions API, after its client. */
export const googleOmniScript = {
  basePath: '/v1beta',
  callOf,
  keyHeader: { name: 'x-goog-api-key', value: (apiKey) => apiKey },
  filesNeedKey: true,
  maxResponseBytes: 16 * 1_048_576,
  create: {
    accepted: (taskId) => anInteraction(taskId, 'in_progress'),
    refused: (sentence) => anError(400, ['INVALID_ARGUMENT', sentence]),
    moderated: anError(400, ['INVALID_ARGUMENT', 'The prompt was blocked by our safety policy.']),
    accountUnusable: anError(403, ['PERMISSION_DENIED', 'Billing is not enabled.']),
    busy: anError(429, ['RESOURCE_EXHAUSTED', 'Quota exceeded.'], { 'retry-after': '7' }),
    withoutId: { status: 200, body: { object: 'interaction', status: 'in_progress' } },
  },
  task: {
    queued: (taskId) => anInteraction(taskId, 'queued'),
    running: (taskId) => anInteraction(taskId, 'in_progress'),
    succeeded: (taskId, videoUrl) =>
      anInteraction(taskId, 'completed', {
        ...said({ type: 'video', uri: videoUrl, mime_type: 'video/mp4' }),
        ...usage,
      }),
    withoutOutput: (taskId) => anInteraction(taskId, 'completed', { ...said(), ...usage }),
    failed: (taskId) =>
      anInteraction(taskId, 'failed', { error: { code: 'INTERNAL', message: 'An error.' } }),
    moderated: (taskId) =>
      anInteraction(taskId, 'completed', said({ type: 'text', text: 'I cannot make this.' })),
    cancelled: (taskId) => anInteraction(taskId, 'cancelled'),
    withStatus: (taskId, status) => anInteraction(taskId, status),
    missing: anError(404, ['NOT_FOUND', 'The interaction is not found.']),
    alsoMissing: {
      'the name of nothing': anError(400, ['INVALID_ARGUMENT', 'Invalid interaction name.']),
    },
    charged: {
      'tokens of a link': {
        response: (taskId, videoUrl) =>
          anInteraction(taskId, 'completed', {
            ...said({ type: 'video', uri: videoUrl }),
            ...usage,
          }),
        usage: charged,
      },
    },
    chargedFailures: {
      'a video that the response does not hold': {
        response: (taskId) => anInteraction(taskId, 'completed', { ...said(), ...usage }),
        failure: 'no_output',
        usage: charged,
      },
    },
    inline: (taskId, bytes) =>
      anInteraction(
        taskId,
        'completed',
        said({
          type: 'video',
          mime_type: 'video/mp4',
          data: Buffer.from(bytes).toString('base64'),
        }),
      ),
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an object without a status': { status: 200, body: {} },
      'a status that is not a word': anInteraction(id, 3),
      'another interaction': anInteraction('other', 'completed', said({ type: 'video', uri })),
      'a 400 that means nothing': anError(400, ['INVALID_ARGUMENT', 'Request is invalid.']),
      'an error in a list': {
        status: 503,
        body: [{ error: { code: 503, message: 'unavailable', status: 'UNAVAILABLE' } }],
      },
    },
  },
  cancel: {
    done: anInteraction(id, 'cancelled'),
    refused: anError(400, ['FAILED_PRECONDITION', 'The interaction is over.']),
  },
} satisfies VendorScript;
