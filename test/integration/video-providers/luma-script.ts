import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

const generations = '/v1/generations';

const anError = (
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse => ({ status, headers, body: { detail } });

const aGeneration = (id: string, fields: object, status = 200): ScriptedResponse => ({
  status,
  body: {
    id,
    type: 'video',
    state: 'queued',
    model: 'ray-3.2',
    created_at: '2026-01-01T00:00:00Z',
    output: [],
    failure_reason: null,
    failure_code: null,
    ...fields,
  },
});

function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST') return path === generations ? 'create' : undefined;
  return method === 'GET' && path.startsWith(`${generations}/`) ? 'poll' : undefined;
}

const failed = (id: string, code: string, reason: string): ScriptedResponse =>
  aGeneration(id, { state: 'failed', failure_code: code, failure_reason: reason });

/** The responses of Luma's Agents API, after its documentation. */
export const lumaScript = {
  basePath: '/v1',
  callOf,
  keyHeader: { name: 'authorization', value: (apiKey) => `Bearer ${apiKey}` },
  create: {
    accepted: (id) => aGeneration(id, {}, 201),
    refused: (sentence) => anError(400, sentence),
    moderated: anError(400, 'The prompt was rejected by content moderation'),
    accountUnusable: anError(402, 'Insufficient credits'),
    busy: anError(429, 'Rate limit exceeded', { 'retry-after': '7' }),
    withoutId: { status: 201, body: { type: 'video', state: 'queued' } },
  },
  task: {
    queued: (id) => aGeneration(id, {}),
    running: (id) => aGeneration(id, { state: 'processing' }),
    succeeded: (id, url) =>
      aGeneration(id, { state: 'completed', output: [{ type: 'video', url }] }),
    withoutOutput: (id) => aGeneration(id, { state: 'completed' }),
    failed: (id) => failed(id, 'generation_failed', 'The generation failed'),
    moderated: (id) => failed(id, 'content_moderated', 'The output was moderated'),
    withStatus: (id, state) => aGeneration(id, { state }),
    missing: anError(404, 'Generation not found'),
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an object without a state': { status: 200, body: {} },
      'a state that is not a word': aGeneration('cgt-20260101000000-abcde', { state: 3 }),
      'another generation': aGeneration('other', {
        state: 'completed',
        output: [{ type: 'video', url: 'https://files.example/other.mp4' }],
      }),
      'an empty response': { status: 202 },
      'too many jobs': anError(429, 'Too many concurrent jobs', { 'retry-after': '60' }),
    },
  },
} satisfies VendorScript;
