import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import request from 'supertest';
import { createHolds, createLedger } from '@gateway/store';
import { openApi, configuration, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi({ activeVideos: 3 });
});
afterAll(async () => {
  await api.close();
});
afterEach(async () => {
  expect(await createLedger(api.database).verify({ graceSeconds: 0 })).toEqual([]);
});

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const body = {
  model: 'sandbox-video',
  prompt: 'x',
  duration: 5,
  resolution: '480p',
  references: [{ type: 'image', role: 'first_frame', url: `data:image/png;base64,${png}` }],
};

const post = (apiKey: string, headers: Record<string, string> = {}) =>
  request(api.url)
    .post('/v1/videos')
    .set('authorization', `Bearer ${apiKey}`)
    .set(headers)
    .send(body);

describe('an account with as many unfinished videos as it may have', () => {
  it('gets 429 too_many_tasks with when to try again, and nothing is left, however many ask at once', async () => {
    const { apiKey, accountId } = await api.aKey();
    const before = await api.rows();

    const responses = await Promise.all(Array.from({ length: 20 }, () => post(apiKey)));

    const refused = responses.filter(({ status }) => status === 429);
    expect([responses.filter(({ status }) => status === 200).length, refused.length]).toEqual([
      3, 17,
    ]);
    expect(refused[0]!.body).toEqual({
      error: {
        type: 'rate_limit_error',
        code: 'too_many_tasks',
        param: null,
        message: expect.stringContaining('3 unfinished videos'),
      },
    });
    expect(refused[0]!.headers).toMatchObject({
      'retry-after': '5',
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '5',
    });
    const after = await api.rows();
    expect([
      after['task']! - before['task']!,
      after['task_event']! - before['task_event']!,
    ]).toEqual([3, 3]);
    expect(await createLedger(api.database).balanceOf(accountId)).toMatchObject({
      heldQuota: 3 * 5 * 60,
    });
    expect(await readdir(path.join(api.storageDir, 'inputs'))).toHaveLength(3);
  });

  it('is refused before a hold is taken once it is known to be full', async () => {
    const { apiKey } = await api.aKey();
    for (let made = 0; made < 3; made += 1) await post(apiKey).expect(200);
    const holds = api.billing.received.length;

    await post(apiKey).expect(429);

    expect(api.billing.received).toHaveLength(holds);
  });

  it('may use the same Idempotency-Key again when one has finished, and gets its old task by an old key', async () => {
    const { apiKey } = await api.aKey();
    const first = await post(apiKey, { 'idempotency-key': 'one' }).expect(200);
    await post(apiKey).expect(200);
    await post(apiKey).expect(200);
    await post(apiKey, { 'idempotency-key': 'four' }).expect(429);

    const replay = await post(apiKey, { 'idempotency-key': 'one' });
    expect([replay.status, (replay.body as { id: string }).id]).toEqual([
      200,
      (first.body as { id: string }).id,
    ]);

    const { id } = first.body as { id: string };
    await api.database.pool.query(
      `UPDATE task SET status = 'cancelled', step = 'done', failure_code = 'cancelled', failure_message = '', completed_at = now(), billed_seconds = 0, billed_quota = 0, event_sequence = 2 WHERE id = $1`,
      [id],
    );
    await api.database.pool.query(
      `INSERT INTO task_event (task_id, sequence, status) VALUES ($1, 2, 'cancelled')`,
      [id],
    );
    await post(apiKey, { 'idempotency-key': 'four' }).expect(200);
    await createHolds(api.database).settle(id);
  });

  it('does not keep another account from creating', async () => {
    const [one, other] = [await api.aKey(), await api.aKey()];
    for (let made = 0; made < 3; made += 1) await post(one.apiKey).expect(200);

    await post(other.apiKey).expect(200);
  });

  it('is a hundred in the local default', () => {
    expect(configuration.limits.defaultAccount.activeVideos).toBe(100);
  });
});

describe('queue_position', () => {
  it('is shown while a task waits, in the order of turns, and not once it has its slot', async () => {
    const [one, other] = [await api.aKey(), await api.aKey()];
    const get = async (apiKey: string, id: string): Promise<unknown> =>
      (await request(api.url).get(`/v1/videos/${id}`).set('authorization', `Bearer ${apiKey}`))
        .body as unknown;
    await api.database.pool.query(
      `UPDATE task SET admitted_at = now(), epoch = epoch + 1 WHERE step = 'submit'`,
    );

    const first = (await post(one.apiKey)).body as { id: string };
    const second = (await post(one.apiKey)).body as { id: string };
    const third = (await post(other.apiKey)).body as { id: string; queue_position: number };

    expect(first).toMatchObject({ queue_position: 1 });
    expect(second).toMatchObject({ queue_position: 2 });
    expect(third.queue_position).toBeLessThan(3);
    expect(await get(one.apiKey, second.id)).toMatchObject({ queue_position: 3 });
    await api.database.pool.query(
      'UPDATE task SET admitted_at = now(), epoch = epoch + 1 WHERE id = $1',
      [second.id],
    );
    expect(await get(one.apiKey, second.id)).not.toHaveProperty('queue_position');
  });
});
