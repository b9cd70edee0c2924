import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import { createMetering } from '@gateway/store';
import { storiesOf } from '../../integration/store/stories.ts';
import { aSavedBatch, aUsageRecord, units } from '../../integration/store/usage.ts';
import OpenAI from 'openai';
import request from 'supertest';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let apiKey: string;
beforeAll(async () => {
  api = await openApi();
  ({ apiKey } = await api.aKey({ scopes: [] }));
});
afterAll(async () => {
  await api.close();
});

const get = (path: string, key = apiKey) =>
  request(api.url).get(path).set('authorization', `Bearer ${key}`);
const textNames = ['sandbox-messages', 'sandbox-chat', 'sandbox-responses', 'sandbox-embedding'];
const videoNames = [
  'sandbox-video',
  'sandbox-minimax',
  'sandbox-openai-videos',
  'sandbox-kling',
  'sandbox-fal',
  'sandbox-luma',
  'sandbox-runway',
  'sandbox-xai',
  'sandbox-dashscope',
  'sandbox-google-omni',
  'sandbox-vidu',
];
const names = [...textNames, ...videoNames];

describe('GET /v1/models', () => {
  it.each([
    '/v1/models',
    '/models',
    '/v1/v1/models',
    '/v1/models/',
    '/v1/models?limit=1000',
    '/v1/models?beta=true',
  ])('lists every model for any valid key: %s', async (path) => {
    const response = await get(path);

    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      object: 'list',
      has_more: false,
      first_id: 'sandbox-messages',
      last_id: names.at(-1),
    });
    expect(
      (response.body as { data: { id: string; kind: string }[] }).data.map(({ id, kind }) => [
        id,
        kind,
      ]),
    ).toEqual([...textNames.map((id) => [id, 'text']), ...videoNames.map((id) => [id, 'video'])]);
  });

  it('is read by the official clients of both dialects, page by page', async () => {
    const anthropic = new Anthropic({ apiKey, baseURL: api.url });
    const openai = new OpenAI({ apiKey, baseURL: `${api.url}/v1` });
    const found: string[] = [];
    for await (const model of anthropic.models.list({ limit: 1 })) found.push(model.id);
    const listed: string[] = [];
    for await (const model of openai.models.list()) listed.push(model.id);

    expect(found).toEqual(names);
    expect(listed).toEqual(names);
    await expect(anthropic.models.retrieve('sandbox-chat')).resolves.toMatchObject({
      type: 'model',
      display_name: 'Sandbox (chat)',
      max_tokens: 8_192,
    });
    await expect(openai.models.retrieve('sandbox-chat')).resolves.toMatchObject({
      object: 'model',
      owned_by: 'gateway',
    });
  });

  it.each([
    ['before_id=sandbox-video&limit=1', ['sandbox-embedding'], true],
    ['after=sandbox-messages', names.slice(1), false],
  ])('honours %s', async (query, ids, more) => {
    const { body } = (await get(`/v1/models?${query}`)) as {
      body: { data: { id: string }[]; has_more: boolean };
    };

    expect([body.data.map(({ id }) => id), body.has_more]).toEqual([ids, more]);
  });

  it.each(['limit=0', 'limit=1001', 'limit=ten', 'limit=1&limit=2'])(
    'refuses %s',
    async (query) => {
      const response = await get(`/v1/models?${query}`);

      expect(response.status).toBe(400);
      expect(response.body).toMatchObject({ error: { code: 'invalid_parameter', param: 'limit' } });
    },
  );

  it.each([
    '/v1/models/sandbox-chat',
    '/models/sandbox-chat',
    '/v1/models/sandbox%2Dchat',
    '/v1/models/sandbox-chat/',
  ])('shows one model: %s', async (path) => {
    const response = await get(path);

    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      id: 'sandbox-chat',
      kind: 'text',
      price: {
        input: 3,
        output: 15,
        cached_input: 0.3,
        cache_write: 3,
        cache_write_1h: 3,
        per: 1_000,
        server_tools: {},
        service_tier: {},
      },
    });
  });

  it.each(['vendor/model:free', 'vendor%2Fmodel%3Afree', 'gone'])(
    'returns 404 for a model that is not there: %s',
    async (id) => {
      const response = await get(`/v1/models/${id}`);

      expect(response.status).toBe(404);
      expect(response.body).toMatchObject({
        error: {
          code: 'model_not_found',
          message: expect.stringContaining(JSON.stringify(decodeURIComponent(id))),
        },
      });
    },
  );

  it('shows a key only what it may use', async () => {
    const { apiKey: narrow } = await api.aKey({ models: ['sandbox-video'] });

    expect((await get('/v1/models', narrow)).body).toMatchObject({
      data: [{ id: 'sandbox-video' }],
      has_more: false,
    });
    expect((await get('/v1/models/sandbox-chat', narrow)).status).toBe(404);
  });

  it('needs a key, and only takes GET', async () => {
    expect((await request(api.url).get('/v1/models')).status).toBe(401);
    const response = await request(api.url).post('/v1/models').set('x-api-key', apiKey);
    expect([response.status, response.get('allow')]).toEqual([405, 'GET']);
  });
});

describe('GET /v1/usage and GET /v1/billing/balance', () => {
  it('say what the account used, and what it has', async () => {
    const {
      apiKey: reader,
      accountId,
      keyId,
    } = await api.aKey({ scopes: ['billing:read'], quota: 1_000 });
    const today = new Date().toISOString();
    const batch = await aSavedBatch(api.database, [
      aUsageRecord(accountId, {
        key_id: keyId,
        started_at: today,
        cost_nano: units(2.5),
        estimated: true,
      }),
      aUsageRecord(accountId, { key_id: keyId, started_at: today, outcome: 'aborted' }),
    ]);
    await createMetering(api.database).apply(batch.id);
    await storiesOf(api.database, accountId).running();

    const [usage, balance] = [
      await get('/v1/usage', reader),
      await get('/v1/billing/balance', reader),
    ];

    const from = new Date(Date.parse(today.slice(0, 10)) - 29 * 86_400_000)
      .toISOString()
      .slice(0, 10);
    expect(usage.body).toEqual({
      object: 'list',
      from,
      to: today.slice(0, 10),
      data: [
        {
          object: 'usage',
          day: today.slice(0, 10),
          model: 'sandbox-chat',
          key_id: keyId,
          kind: 'text',
          requests: 2,
          input_tokens: 120,
          cached_input_tokens: 20,
          cache_write_tokens: 10,
          cache_write_1h_tokens: 0,
          output_tokens: 80,
          server_tool_uses: 0,
          estimated_requests: 1,
          aborted_requests: 1,
          seconds: 0,
          quota: 2.5,
        },
      ],
    });
    expect(balance.body).toEqual({
      object: 'balance',
      balance_quota: 998,
      held_quota: 50,
      available_quota: 948,
      debt_quota: 0,
    });
    expect((await get(`/v1/usage?model=sandbox-messages`, reader)).body).toMatchObject({
      data: [],
    });
    expect(
      (await get(`/v1/usage?key_id=${keyId}&from=${today.slice(0, 10)}`, reader)).body,
    ).toMatchObject({ data: [{ requests: 2 }], from: today.slice(0, 10) });
  });

  it.each([
    ['from=2026-11', 'from'],
    ['from=2026-01-01&to=2026-12-31', 'from'],
    ['to=x', 'to'],
    ['model=a&model=b', 'model'],
    ['model=a%00b', 'model'],
  ])('refuse %s', async (query, param) => {
    const { apiKey: reader } = await api.aKey({ scopes: ['billing:read'] });

    const response = await get(`/v1/usage?${query}`, reader);

    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ error: { code: 'invalid_parameter', param } });
  });

  it.each(['/v1/usage', '/v1/billing/balance'])('need the scope billing:read: %s', async (path) => {
    const response = await get(path);

    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({ error: { code: 'scope_missing' } });
  });
});
