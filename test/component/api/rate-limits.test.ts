import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { nothing, openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi({ requestsPerMinute: 3 });
});
afterAll(async () => {
  await api.close();
});

const get = (path: string, key: string) => request(api.url).get(path).set('x-api-key', key);

describe('the request rate of a key', () => {
  it('is told with every response, also with a failure', async () => {
    const { apiKey } = await api.aKey({ scopes: ['videos:read'] });

    const [listed, missing, forbidden] = [
      await get('/v1/videos', apiKey),
      await get('/v1/videos/video_x', apiKey),
      await get('/v1/billing/balance', apiKey),
    ];

    expect([listed.status, missing.status, forbidden.status]).toEqual([200, 404, 403]);
    expect(
      [listed, missing, forbidden].map((response) => [
        response.get('x-ratelimit-limit'),
        response.get('x-ratelimit-remaining'),
      ]),
    ).toEqual([
      ['3', '2'],
      ['3', '1'],
      ['3', '0'],
    ]);
    expect(Number(listed.get('x-ratelimit-reset'))).toBeGreaterThan(0);
  });

  it('refuses what is beyond it with 429 and retry-after, over all routes together, and nothing is created', async () => {
    const { apiKey } = await api.aKey({ scopes: ['videos:read', 'videos:write'] });
    for (const path of ['/v1/videos', '/v1/models', '/v1/videos']) {
      await get(path, apiKey).expect(200);
    }

    const refused = await request(api.url)
      .post('/v1/videos')
      .set('x-api-key', apiKey)
      .send({ model: 'sandbox-video', prompt: 'x' });

    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      error: { code: 'rate_limit_exceeded', type: 'rate_limit_error' },
    });
    expect(Number(refused.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.get('retry-after'))).toBeLessThanOrEqual(62);
    expect(refused.get('x-ratelimit-remaining')).toBe('0');
    expect(await api.rows()).toEqual(nothing);
  });

  it('is the one of the text routes', async () => {
    const { apiKey } = await api.aKey({ scopes: ['videos:read', 'text'] });
    const text = () =>
      request(api.url)
        .post('/v1/chat/completions')
        .set('x-api-key', apiKey)
        .send({ model: 'no-such-model', messages: [] });
    const [one, two, three, four] = [
      await text(),
      await get('/v1/videos', apiKey),
      await text(),
      await get('/v1/videos', apiKey),
    ];

    expect([one, two, three].map((response) => response.get('x-ratelimit-remaining'))).toEqual([
      '2',
      '1',
      '0',
    ]);
    expect(four.status).toBe(429);
    expect((await text()).status).toBe(429);
  });

  it('is the key’s own where it has one, and each key’s alone', async () => {
    const [strict, other] = [
      await api.aKey({ scopes: ['videos:read'], requestsPerMinute: 1 }),
      await api.aKey({ scopes: ['videos:read'] }),
    ];
    await get('/v1/videos', strict.apiKey).expect(200);

    await get('/v1/videos', strict.apiKey).expect(429);
    await get('/v1/videos', other.apiKey).expect(200);
  });

  it('is not spent by media and probes', async () => {
    for (let time = 0; time < 5; time += 1) {
      for (const path of ['/livez', '/readyz', '/', '/v1/videos/video_x/content?token=x']) {
        const response = await request(api.url).get(path);
        expect([response.status === 429, response.get('x-ratelimit-limit')]).toEqual([
          false,
          undefined,
        ]);
      }
    }
  });
});

describe('a deeply nested body', () => {
  it.each([
    ['of a creation', '/v1/videos'],
    ['of a quote', '/v1/videos/quote'],
  ])('%s is a 400', async (_name, path) => {
    const { apiKey } = await api.aKey();
    const body = `{"model":"sandbox-video","prompt":"x","metadata":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;

    const response = await request(api.url)
      .post(path)
      .set('x-api-key', apiKey)
      .type('json')
      .send(body);

    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      error: { code: 'invalid_parameter', message: expect.stringContaining('nested deeper') },
    });
    expect(await api.rows()).toEqual(nothing);
  });
});
