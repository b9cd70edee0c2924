import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

const anError = (
  status: number,
  code: string,
  error: string,
  fields: object = {},
): ScriptedResponse => ({ status, body: { code, error, ...fields } });

const aTask = (fields: object): ScriptedResponse => ({
  status: 200,
  body: { model: 'grok-imagine-video', ...fields },
});

const aWithheldVideo = anError(
  400,
  'imagine:content-moderated',
  'Generated video rejected by content moderation.',
  { usage: { cost_in_usd_ticks: 4_000_000_000 } },
);

function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST') return path === '/v1/videos/generations' ? 'create' : undefined;
  return method === 'GET' && /^\/v1\/videos\/[^/]+$/.test(path) ? 'poll' : undefined;
}

/** The responses of xAI's video interface, which name no id in a poll. */
export const xaiScript = {
  basePath: '/v1',
  callOf,
  keyHeader: { name: 'authorization', value: (apiKey) => `Bearer ${apiKey}` },
  create: {
    accepted: (id) => ({ status: 200, body: { request_id: id } }),
    refused: (sentence) => anError(400, 'invalid-argument', sentence),
    moderated: anError(400, 'imagine:content-moderated', 'The prompt was rejected.'),
    accountUnusable: anError(
      403,
      'The caller does not have permission to execute the specified operation',
      'Your team acme-films has used all available credits.',
    ),
    busy: {
      ...anError(429, 'resource-exhausted', 'Too many requests for team acme-films'),
      headers: { 'retry-after': '7' },
    },
    withoutId: { status: 200, body: { status: 'pending' } },
  },
  task: {
    queued: () => ({ status: 202 }),
    running: () => ({ status: 202, body: { status: 'pending', progress: 40 } }),
    succeeded: (_id, url) =>
      aTask({
        status: 'done',
        video: { url, duration: 5, respect_moderation: true },
        usage: { cost_in_usd_ticks: 4_000_000_000 },
      }),
    withoutOutput: () => aTask({ status: 'done', video: { url: '', duration: 5 } }),
    failed: () =>
      aTask({
        status: 'failed',
        error: { code: 'internal-error', message: 'The video could not be generated.' },
      }),
    moderated: () => aWithheldVideo,
    expired: () => aTask({ status: 'expired' }),
    withStatus: (_id, status) => aTask({ status }),
    missing: anError(404, 'not-found', 'Video request not found.'),
    charged: {
      'in ticks of money': {
        response: (_id, url) =>
          aTask({
            status: 'done',
            video: { url, duration: 5 },
            usage: { cost_in_usd_ticks: 3_500_000_000 },
          }),
        usage: { cost: { amount: '0.35', currency: 'USD' } },
      },
    },
    chargedFailures: {
      'a video that is withheld': {
        response: () => aWithheldVideo,
        failure: 'content_policy',
        usage: { cost: { amount: '0.4', currency: 'USD' } },
      },
    },
    alsoMissing: { 'as gone': anError(410, 'gone', 'The video request is gone.') },
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an object without a status': { status: 200, body: {} },
      'a status that is not a word': aTask({ status: 3 }),
      'a 202 that is a page': {
        status: 202,
        headers: { 'content-type': 'text/html' },
        body: '<html>wait</html>',
      },
      'a refusal of the key': anError(401, 'unauthenticated', 'Incorrect API key provided.'),
      'a rate limit': anError(429, 'resource-exhausted', 'Too many requests'),
    },
  },
} satisfies VendorScript;
