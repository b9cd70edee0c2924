import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createAccounts } from '@gateway/store';
import { aQueuedTask, eventually } from '@gateway/testing';
import { nothing, openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let apiKey: string;
beforeAll(async () => {
  api = await openApi();
  ({ apiKey } = await api.aKey());
});
afterAll(async () => {
  await api.close();
});

const good = { model: 'sandbox-video', prompt: 'a red balloon' };

const badBodies: readonly (readonly [
  name: string,
  body: unknown,
  status: number,
  code: string,
  param: string | null,
])[] = [
  ['no model', { prompt: 'x' }, 400, 'missing_parameter', 'model'],
  [
    'a model that does not exist',
    { ...good, model: 'no-such-model' },
    404,
    'model_not_found',
    'model',
  ],
  ['neither prompt nor content', { model: 'sandbox-video' }, 400, 'missing_parameter', 'prompt'],
  [
    'content with prompt',
    { ...good, content: [{ type: 'text', text: 'y' }] },
    400,
    'mixed_formats',
    'prompt',
  ],
  [
    'content with references',
    { model: 'sandbox-video', references: [], content: [{ type: 'text', text: 'y' }] },
    400,
    'mixed_formats',
    'references',
  ],
  [
    'both ratio and aspect_ratio',
    { ...good, ratio: '16:9', aspect_ratio: '16:9' },
    400,
    'conflicting_aliases',
    'aspect_ratio',
  ],
  [
    'both watermark and aigc_watermark',
    { ...good, watermark: true, aigc_watermark: true },
    400,
    'conflicting_aliases',
    'aigc_watermark',
  ],
  ['an unknown field', { ...good, duratoin: 5 }, 400, 'unknown_parameter', 'duratoin'],
  ['a length as text', { ...good, duration: '5' }, 400, 'invalid_parameter', 'duration'],
  ['a length out of range', { ...good, duration: 16 }, 400, 'invalid_parameter', 'duration'],
  ['a length that is not whole', { ...good, duration: 5.5 }, 400, 'invalid_parameter', 'duration'],
  ['a ratio that is not offered', { ...good, ratio: '5:4' }, 400, 'invalid_parameter', 'ratio'],
  [
    'a resolution that is not offered',
    { ...good, resolution: '8k' },
    400,
    'invalid_parameter',
    'resolution',
  ],
  ['an empty prompt', { ...good, prompt: ' ' }, 400, 'invalid_parameter', 'prompt'],
  [
    'a vendor flag in the prompt',
    { ...good, prompt: 'a cat --dur 15' },
    400,
    'invalid_parameter',
    'prompt',
  ],
  ['a seed that is too large', { ...good, seed: 2 ** 32 }, 400, 'invalid_parameter', 'seed'],
  [
    'a reference with the wrong role',
    {
      ...good,
      references: [{ type: 'image', role: 'reference_video', url: 'https://example.com/a.png' }],
    },
    400,
    'invalid_parameter',
    'references[0].role',
  ],
  [
    'a reference on a private address',
    { ...good, references: [{ type: 'image', url: 'http://10.0.0.1/a.png' }] },
    400,
    'invalid_parameter',
    'references[0].url',
  ],
  [
    'a data URL that is not what it says',
    { ...good, references: [{ type: 'image', url: 'data:image/png;base64,aGVsbG8=' }] },
    400,
    'invalid_parameter',
    'references[0].url',
  ],
  [
    'an asset that does not exist',
    { ...good, references: [{ type: 'image', url: 'asset_01m7z1mc2yfzz8gkvph7wn2q17' }] },
    404,
    'asset_not_found',
    'references[0].url',
  ],
  [
    'a callback on a metadata address',
    { ...good, callback_url: 'http://169.254.169.254/latest' },
    400,
    'invalid_callback_url',
    'callback_url',
  ],
  [
    'a callback with credentials',
    { ...good, callback_url: 'https://user:secret@example.com/' },
    400,
    'invalid_callback_url',
    'callback_url',
  ],
  [
    'seventeen metadata pairs',
    {
      ...good,
      metadata: Object.fromEntries(
        Array.from({ length: 17 }, (_unused, index) => [`k${index}`, 'v']),
      ),
    },
    400,
    'invalid_parameter',
    'metadata',
  ],
  ['an array as body', [good], 400, 'invalid_parameter', null],
];

describe('a request that is refused', () => {
  it.each(badBodies)(
    '%s: costs nothing, leaves nothing, and says which field',
    async (_name, body, status, code, param) => {
      const calls = api.billing.received.length;

      const response = await request(api.url)
        .post('/v1/videos')
        .set('x-api-key', apiKey)
        .set('idempotency-key', 'refused')
        .send(body as object);

      expect(response.status).toBe(status);
      expect(response.body).toMatchObject({
        error: { code, param, message: expect.any(String), type: expect.any(String) },
      });
      expect(await api.rows()).toEqual(nothing);
      expect(api.billing.received).toHaveLength(calls);
    },
  );

  it('names every violation of one request', async () => {
    const response = await request(api.url)
      .post('/v1/videos')
      .set('x-api-key', apiKey)
      .send({ ...good, duration: 99, ratio: 'x', colour: 'red' });

    const { error } = response.body as { error: { details: { param: string }[] } };
    expect(error.details.map(({ param }) => param).sort()).toEqual(['colour', 'duration', 'ratio']);
  });

  it.each([
    ['broken JSON', '{"model":', 'application/json', 400, 'invalid_json'],
    ['an empty body', '', 'application/json', 400, 'invalid_json'],
    [
      'another content type',
      'model=x',
      'application/x-www-form-urlencoded',
      415,
      'unsupported_media_type',
    ],
    [
      'a body that is too large',
      JSON.stringify({ ...good, prompt: 'x'.repeat(1_100_000) }),
      'application/json',
      413,
      'payload_too_large',
    ],
    [
      'an unknown charset',
      '{}',
      'application/json; charset=latin-7',
      415,
      'unsupported_media_type',
    ],
  ])('%s', async (_name, payload, type, status, code) => {
    const response = await request(api.url)
      .post('/v1/videos')
      .set('x-api-key', apiKey)
      .set('content-type', type)
      .send(payload);

    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ error: { code, type: 'invalid_request_error' } });
    expect(await api.rows()).toEqual(nothing);
  });
});

describe('a key', () => {
  const postWith = (headers: Record<string, string>) =>
    request(api.url).post('/v1/videos').set(headers).send(good);

  it.each([
    ['is missing', {}, 401, 'missing_api_key'],
    ['is not one of ours', { authorization: 'Bearer sk-other' }, 401, 'invalid_api_key'],
    ['is unknown', { 'x-api-key': `sk-gw-${'a'.repeat(32)}` }, 401, 'invalid_api_key'],
    ['comes by another scheme', { authorization: 'Basic c2stZ3c=' }, 401, 'missing_api_key'],
  ])('that %s is a 401', async (_name, headers, status, code) => {
    const response = await postWith(headers);

    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ error: { code, type: 'authentication_error' } });
  });

  it('that expired, lacks the scope, or may not use the model is refused by name', async () => {
    const expired = await api.aKey({ expiresAt: new Date(Date.now() - 1_000) });
    const reader = await api.aKey({ scopes: ['videos:read'] });
    const limited = await api.aKey({ models: ['another-model'] });

    const responses = await Promise.all(
      [expired, reader, limited].map(({ apiKey: key }) => postWith({ 'x-api-key': key })),
    );

    expect(
      responses.map(({ status, body }) => [
        status,
        (body as { error: { code: string } }).error.code,
      ]),
    ).toEqual([
      [401, 'expired_api_key'],
      [403, 'scope_missing'],
      [403, 'model_not_allowed'],
    ]);
  });

  it('stops working within five seconds of its revocation', async () => {
    const { apiKey: key, keyId } = await api.aKey();
    await request(api.url).get('/v1/videos/video_x').set('x-api-key', key).expect(404);
    await createAccounts(api.database).revokeKey(keyId);

    await eventually(
      async () => {
        const { body } = await request(api.url)
          .get('/v1/videos/video_x')
          .set('x-api-key', key)
          .expect(401);
        expect(body).toMatchObject({ error: { code: 'invalid_api_key' } });
      },
      { withinMs: 5_000, everyMs: 200 },
    );
  });
});

describe('GET /v1/videos/{id}', () => {
  it('responds to another account’s task, a missing one and a malformed id with the same bytes', async () => {
    const owner = await api.aKey();
    const task = await aQueuedTask(api.database, owner.accountId);
    const get = async (id: string, key: string) =>
      request(api.url).get(`/v1/videos/${id}`).set('x-api-key', key);

    const [own, foreign, missing, malformed] = [
      await get(task.id, owner.apiKey),
      await get(task.id, apiKey),
      await get('video_01m7z1mc2yfzz8gkvph7wn2q17', apiKey),
      await get(`video_${'~'.repeat(26)}`, apiKey),
    ];

    expect(own.status).toBe(200);
    expect(own.body).toMatchObject({ id: task.id, status: 'queued' });
    expect([foreign.status, missing.status, malformed.status]).toEqual([404, 404, 404]);
    expect([foreign.text, malformed.text]).toEqual([missing.text, missing.text]);
    expect(foreign.body).toMatchObject({ error: { code: 'task_not_found' } });
  });
});

describe('routes', () => {
  it.each([
    ['PUT', '/v1/videos', 405, 'GET, POST'],
    ['POST', '/v1/videos/video_x', 405, 'GET, DELETE'],
    ['GET', '/v1/videos/video_x/cancel', 405, 'POST'],
    ['POST', '/v1/videos/video_x/content', 405, 'GET, HEAD'],
    ['GET', '/v2/videos', 404, undefined],
    ['GET', '/v1/videos/video_x/..%2f..%2fetc', 404, undefined],
  ] as const)('%s %s is a %i', async (method, path, status, allow) => {
    const response = await request(api.url)[method.toLowerCase() as 'get'](path);

    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toContain('application/json');
    expect(response.headers['allow']).toBe(allow);
  });

  it('serves the aliases that real clients produce', async () => {
    const { body: doubled } = await request(api.url)
      .get('/v1/v1/videos/video_x')
      .set('x-api-key', apiKey);
    const { body: trailing } = await request(api.url)
      .get('/v1/videos/video_x/?beta=true')
      .set('x-api-key', apiKey);

    expect([doubled, trailing]).toEqual([
      { error: expect.objectContaining({ code: 'task_not_found' }) },
      { error: expect.objectContaining({ code: 'task_not_found' }) },
    ]);
    await request(api.url).head('/').expect(200);
    await request(api.url).get('/').expect(200);
  });

  it('replaces a request id that is not safe to print', async () => {
    const { headers } = await request(api.url).get('/').set('x-request-id', 'a b<script>');

    expect(headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/);
  });
});
