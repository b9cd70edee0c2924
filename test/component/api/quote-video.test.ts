import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { nothing, openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let apiKey: string;
beforeAll(async () => {
  api = await openApi();
  ({ apiKey } = await api.aKey({ quota: 300 }));
});
afterAll(async () => {
  await api.close();
});

const good = { model: 'sandbox-video', prompt: 'a red balloon', resolution: '480p', duration: 5 };
const post = (path: string, body: object, key = apiKey) =>
  request(api.url).post(path).set('x-api-key', key).send(body);

describe('POST /v1/videos/quote', () => {
  it('returns what a creation would reserve, and creates and holds nothing', async () => {
    const calls = api.billing.received.length;

    const { status, headers, body } = await post('/v1/videos/quote', {
      ...good,
      aspect_ratio: '1:1',
      seed: 7,
      metadata: { order: '7' },
    });

    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      object: 'video.quote',
      model: 'sandbox-video',
      duration: 5,
      ratio: '1:1',
      aspect_ratio: '1:1',
      resolution: '480p',
      seed: 7,
      watermark: false,
      generate_audio: false,
      return_last_frame: false,
      metadata: { order: '7' },
      portal_billing: {
        billing_mode: 'per_second',
        second_quota: 60,
        reserved_duration_seconds: 5,
        max_billing_quota: 300,
      },
      balance: 300,
      affordable: true,
    });
    expect(await api.rows()).toEqual(nothing);
    expect(api.billing.received).toHaveLength(calls);
  });

  it('says that the account cannot afford a video by one unit', async () => {
    const { apiKey: poor } = await api.aKey({ quota: 299 });

    expect((await post('/v1/videos/quote', good, poor)).body).toMatchObject({
      balance: 299,
      affordable: false,
      portal_billing: { max_billing_quota: 300 },
    });
  });

  it('reserves the longest video where the length is left to the model', async () => {
    expect((await post('/v1/videos/quote', { ...good, duration: -1 })).body).toMatchObject({
      duration: -1,
      portal_billing: { reserved_duration_seconds: 15, max_billing_quota: 900 },
      affordable: false,
    });
  });

  it('promises exactly what the creation then reserves', async () => {
    const { apiKey: rich } = await api.aKey({ quota: 10_000 });
    const body = { model: 'sandbox-video', content: [{ type: 'text', text: 'a red balloon' }] };
    const quoted = (await post('/v1/videos/quote', body, rich)).body as {
      portal_billing: object;
      duration: number;
      ratio: string;
      resolution: string;
    };

    const created = (await post('/v1/videos', body, rich)).body as typeof quoted;

    expect(created.portal_billing).toEqual(quoted.portal_billing);
    expect([created.duration, created.ratio, created.resolution]).toEqual([
      quoted.duration,
      quoted.ratio,
      quoted.resolution,
    ]);
  });

  it.each([
    ['an unknown field', { ...good, duratoin: 5 }],
    ['both formats', { ...good, content: [{ type: 'text', text: 'y' }] }],
    ['both names of the ratio', { ...good, ratio: '16:9', aspect_ratio: '16:9' }],
    ['no model', { prompt: 'x' }],
    ['a model that does not exist', { ...good, model: 'no-such-model' }],
    ['a private callback', { ...good, callback_url: 'http://169.254.169.254/' }],
    [
      'an asset that does not exist',
      { ...good, references: [{ type: 'image', url: 'asset_01m7z1mc2yfzz8gkvph7wn2q17' }] },
    ],
    ['an array', [good]],
  ])('refuses %s in the words of the creation', async (_name, body) => {
    const [quoted, created] = [
      await post('/v1/videos/quote', body),
      await post('/v1/videos', body),
    ];

    expect(quoted.status).toBeGreaterThanOrEqual(400);
    expect([quoted.status, quoted.body]).toEqual([created.status, created.body]);
  });

  it('is for keys that may create, with this model, as JSON, by POST', async () => {
    const [reader, limited] = [
      await api.aKey({ scopes: ['videos:read'] }),
      await api.aKey({ models: ['another-model'] }),
    ];

    expect((await post('/v1/videos/quote', good, reader.apiKey)).body).toMatchObject({
      error: { code: 'scope_missing' },
    });
    expect((await post('/v1/videos/quote', good, limited.apiKey)).body).toMatchObject({
      error: { code: 'model_not_allowed' },
    });
    expect(
      (
        await request(api.url)
          .post('/v1/videos/quote')
          .set('x-api-key', apiKey)
          .type('text/plain')
          .send('{}')
      ).status,
    ).toBe(415);
    const refused = await request(api.url).get('/v1/videos/quote').set('x-api-key', apiKey);
    expect([refused.status, refused.get('allow')]).toEqual([405, 'POST']);
  });
});
