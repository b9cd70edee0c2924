import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createLedger } from '@gateway/store';
import { nothing, openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest | undefined;
afterEach(async () => {
  await api?.close();
});

const body = { model: 'sandbox-video', prompt: 'a red balloon' };

describe('creating a video while a part is away', () => {
  it('returns 503 and creates nothing without billing', async () => {
    api = await openApi();
    const { apiKey } = await api.aKey();
    await api.stopBilling();

    const response = await request(api.url)
      .post('/v1/videos')
      .set('x-api-key', apiKey)
      .set('idempotency-key', 'k')
      .send(body);

    expect(response.status).toBe(503);
    expect(response.headers['retry-after']).toBe('1');
    expect(response.body).toMatchObject({
      error: { type: 'upstream_error', code: 'billing_unavailable' },
    });
    expect(await api.rows()).toEqual({ ...nothing, idempotency_key: 1 });
  });

  it('creates the task without Redis, and leaves its wake-up to the reconciler', async () => {
    api = await openApi({ redisUrl: 'redis://127.0.0.1:1' });
    const { apiKey } = await api.aKey();
    const started = Date.now();

    const response = await request(api.url).post('/v1/videos').set('x-api-key', apiKey).send(body);

    expect(response.status).toBe(200);
    expect(Date.now() - started).toBeLessThan(3_000);
    expect(await api.rows()).toMatchObject({ task: 1, hold: 1 });
    expect(await createLedger(api.database).verify({ graceSeconds: 0 })).toEqual([]);
    expect(api.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'wake-up not queued, left to the reconciler',
      }),
    );
  });

  it('stays in work without the storage, and says so', async () => {
    api = await openApi();
    await rm(api.storageDir, { recursive: true });

    const { status, body: ready } = await request(api.opsUrl).get('/readyz');

    expect([status, ready]).toEqual([
      200,
      {
        status: 'degraded',
        checks: { database: 'ok', storage: 'ENOENT', clock: 'ok' },
      },
    ]);
  });

  it('is ready while its stores respond, and says which does not', async () => {
    api = await openApi();

    const { status, body: ready } = await request(api.opsUrl).get('/readyz');

    expect([status, ready]).toEqual([
      200,
      { status: 'ok', checks: { database: 'ok', storage: 'ok', clock: 'ok' } },
    ]);
    await request(api.url).get('/livez').expect(200);
    expect((await request(api.opsUrl).get('/metrics')).text).toContain(
      'http_server_request_duration_seconds',
    );
  });
});
