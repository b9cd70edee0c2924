import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import request from 'supertest';
import { createLedger } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi();
});
afterAll(async () => {
  await api.close();
});
afterEach(async () => {
  expect(await createLedger(api.database).verify({ graceSeconds: 0 })).toEqual([]);
});

const body = {
  model: 'sandbox-video',
  prompt: 'a red balloon over Lisbon',
  duration: 6,
  resolution: '480p',
  metadata: { order: '17' },
};
const timestamp = expect.stringMatching(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
) as unknown as string;
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const post = (apiKey: string, payload: object, headers: Record<string, string> = {}) =>
  request(api.url)
    .post('/v1/videos')
    .set('authorization', `Bearer ${apiKey}`)
    .set(headers)
    .send(payload);

describe('POST /v1/videos', () => {
  it('returns 200 with the whole resource and its address, holds the quota, stores the task, wakes the worker, and logs no prompt', async () => {
    const { apiKey, accountId } = await api.aKey();
    const before = { billing: api.billing.received.length, rows: await api.rows() };

    const response = await post(
      apiKey,
      { ...body, callback_url: 'http://127.0.0.1:9/hook' },
      { 'x-request-id': 'my-request-1' },
    );

    const id = (response.body as { id: string }).id;
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      id: expect.stringMatching(/^video_[0-9a-z]{26}$/),
      object: 'video',
      model: 'sandbox-video',
      status: 'queued',
      queue_position: 1,
      duration: 6,
      ratio: '16:9',
      aspect_ratio: '16:9',
      resolution: '480p',
      seed: null,
      generate_audio: false,
      created_at: timestamp,
      expires_at: timestamp,
      portal_billing: {
        billing_mode: 'per_second',
        second_quota: 60,
        reserved_duration_seconds: 6,
        max_billing_quota: 360,
      },
      metadata: { order: '17' },
    });
    expect(response.headers).toMatchObject({
      location: `/v1/videos/${id}`,
      'x-request-id': 'my-request-1',
    });
    expect(await createLedger(api.database).balanceOf(accountId)).toEqual({
      balanceQuota: 10_000,
      heldQuota: 360,
      availableQuota: 9_640,
      debtQuota: 0,
    });
    expect(await api.rows()).toEqual(
      Object.fromEntries(
        Object.entries(before.rows).map(([table, count]) => [
          table,
          table === 'idempotency_key' ? count : count + 1,
        ]),
      ),
    );
    expect(
      api.billing.received.slice(before.billing).map(({ method, path: to }) => `${method} ${to}`),
    ).toEqual(['POST /internal/holds']);
    expect(
      await api.redis.exists(`${api.prefix}:video:${id}`, `${api.prefix}:callback:${id}`),
    ).toBe(2);
    expect(
      api.log.lines.filter(({ message }) => message === 'request').at(-1)?.fields,
    ).toMatchObject({ method: 'POST', path: '/v1/videos', status: 200 });
    expect(JSON.stringify(api.log.lines)).not.toContain('Lisbon');
  });

  it('takes the industry-style format and shows the same resource', async () => {
    const { apiKey } = await api.aKey();

    const response = await post(apiKey, {
      model: 'sandbox-video',
      aspect_ratio: '9:16',
      aigc_watermark: true,
      seed: 7,
      generate_audio: true,
      content: [
        { type: 'text', text: 'a red balloon' },
        { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
      ],
    });

    expect(response.body).toMatchObject({
      ratio: '9:16',
      aspect_ratio: '9:16',
      seed: 7,
      generate_audio: true,
      portal_billing: { second_quota: 120, max_billing_quota: 600 },
    });
    const { rows } = await api.database.pool.query('SELECT request FROM task WHERE id = $1', [
      (response.body as { id: string }).id,
    ]);
    expect(rows[0]).toMatchObject({
      request: {
        prompt: 'a red balloon',
        watermark: true,
        references: [
          {
            kind: 'image',
            role: 'first_frame',
            source: { type: 'url', url: 'https://example.com/cat.png' },
          },
        ],
      },
    });
  });

  it('reserves the longest video when the model is to decide the length', async () => {
    const { apiKey } = await api.aKey();

    const response = await post(apiKey, { ...body, duration: -1 });

    expect(response.body).toMatchObject({
      duration: -1,
      portal_billing: { reserved_duration_seconds: 15, max_billing_quota: 900 },
    });
  });

  it('keeps the bytes of a data URL in storage and only their hash in the task', async () => {
    const { apiKey } = await api.aKey();

    const response = await post(apiKey, {
      ...body,
      references: [{ type: 'image', role: 'first_frame', url: `data:image/png;base64,${png}` }],
    });

    const id = (response.body as { id: string }).id;
    const { rows } = await api.database.pool.query<{
      request: { references: { source: { key: string } }[] };
    }>('SELECT request FROM task WHERE id = $1', [id]);
    expect(rows[0]?.request.references).toEqual([
      {
        kind: 'image',
        role: 'first_frame',
        source: {
          type: 'stored',
          key: expect.stringMatching(new RegExp(`^inputs/${id}-0-[0-9a-f]{12}$`)),
          mediaType: 'image/png',
          sizeBytes: 70,
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    ]);
    const key = rows[0]?.request.references[0]?.source.key ?? '';
    expect((await readFile(path.join(api.storageDir, key))).toString('base64')).toBe(png);
    expect(JSON.stringify(api.log.lines)).not.toContain(png);
  });

  it('returns 402 with both figures, and leaves nothing', async () => {
    const { apiKey } = await api.aKey({ quota: 359 });
    const before = await api.rows();

    const response = await post(apiKey, body, { 'idempotency-key': 'too-poor' });

    expect(response.status).toBe(402);
    expect(response.body).toEqual({
      error: {
        type: 'quota_error',
        code: 'insufficient_quota',
        param: null,
        message: expect.stringMatching(/reserves 360 .* 359 available/),
      },
    });
    expect(await api.rows()).toEqual(before);
  });

  it('lets a key refused for lack of quota be used again after a top-up', async () => {
    const { apiKey, accountId } = await api.aKey({ quota: 10 });
    await post(apiKey, body, { 'idempotency-key': 'again' }).expect(402);
    await createLedger(api.database).topUp(accountId, 1_000, 'test');

    const response = await post(apiKey, body, { 'idempotency-key': 'again' });

    expect(response.status).toBe(200);
    expect(response.headers).not.toHaveProperty('idempotency-replayed');
  });
});

describe('Idempotency-Key', () => {
  it('responds to a repetition with the first task, and another body with 409', async () => {
    const { apiKey } = await api.aKey();
    const first = await post(apiKey, body, { 'idempotency-key': 'order 17' });

    const reordered = await post(apiKey, Object.fromEntries(Object.entries(body).reverse()), {
      'idempotency-key': 'order 17',
    });
    const other = await post(apiKey, { ...body, duration: 7 }, { 'idempotency-key': 'order 17' });

    expect(reordered.body).toEqual(first.body);
    expect(reordered.headers['idempotency-replayed']).toBe('true');
    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({
      error: { code: 'idempotency_key_reused', type: 'conflict_error' },
    });
  });

  it('makes one task and one hold of thirty requests at once', async () => {
    const { apiKey, accountId } = await api.aKey();

    const responses = await Promise.all(
      Array.from({ length: 30 }, () => post(apiKey, body, { 'idempotency-key': 'storm' })),
    );

    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200));
    expect(new Set(responses.map((response) => (response.body as { id: string }).id)).size).toBe(1);
    expect(
      responses.filter(({ headers }) => headers['idempotency-replayed'] === undefined),
    ).toHaveLength(1);
    expect(await createLedger(api.database).balanceOf(accountId)).toMatchObject({ heldQuota: 360 });
  });

  it('keeps the keys of two accounts apart', async () => {
    const [one, two] = [await api.aKey(), await api.aKey()];

    const first = await post(one.apiKey, body, { 'idempotency-key': 'shared' });
    const second = await post(two.apiKey, body, { 'idempotency-key': 'shared' });

    expect((second.body as { id: string }).id).not.toBe((first.body as { id: string }).id);
  });

  it.each(['x'.repeat(256), 'täst'])(
    'refuses a key that is too long or not ASCII (case %#)',
    async (key) => {
      const { apiKey } = await api.aKey();

      const response = await fetch(`${api.url}/v1/videos`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': Buffer.from(key).toString('latin1'),
        },
      });

      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { code: 'invalid_parameter', param: 'Idempotency-Key' },
      });
    },
  );
});

describe('a new video behind a full vendor', () => {
  it('leaves the worker alone where every slot of the vendor is taken, and wakes it again when one is free', async () => {
    const { apiKey } = await api.aKey({ quota: 1_000_000 });
    const isWoken = async (): Promise<boolean> => {
      const {
        body: { id },
      } = (await post(apiKey, body)) as { body: { id: string } };
      return (await api.redis.exists(`${api.prefix}:video:${id}`)) === 1;
    };
    const setPlaces = (taken: number) =>
      api.database.pool.query(
        `INSERT INTO vendor_line (provider, places_taken) VALUES ('sandbox', $1) ON CONFLICT (provider) DO UPDATE SET places_taken = $1`,
        [taken],
      );
    const {
      rows: [line],
    } = await api.database.pool.query<{ places_taken: number }>(
      `SELECT places_taken FROM vendor_line WHERE provider = 'sandbox'`,
    );

    await setPlaces(1_000);
    await eventually(async () => {
      expect(await isWoken()).toBe(false);
    });
    await setPlaces(line?.places_taken ?? 0);
    await eventually(async () => {
      expect(await isWoken()).toBe(true);
    });
  });
});
