import { afterEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { createHolds, createLedger } from '@gateway/store';
import { eventually, type Side } from '@gateway/testing';
import { aFinishedTask } from '../component/api/finished-task.ts';
import { nothing, openApi, type ApiUnderTest } from '../component/api/harness.ts';

const overWire = { silentMs: 700, outcomeWaitMs: 1_500 };
const body = { model: 'sandbox-video', prompt: 'a red balloon' };

let api: ApiUnderTest;
afterEach(async () => {
  api.wire.cut();
  api.wire.mend();
  await api.close();
});

/** An api whose database falls silent while a hold is being taken, to these sides. */
async function openSilenced(...towards: Side[]): Promise<void> {
  api = await openApi({
    overWire,
    beforeHold: () => {
      api.wire.fallSilent(...towards);
    },
  });
}

interface Responded {
  readonly status: number;
  readonly headers: Response['headers'];
  readonly body: {
    readonly id: string;
    readonly status: string;
    readonly error: { readonly code: string; readonly message: string };
  };
}

/** Sends the request now: supertest waits until somebody does. */
const sent = (asked: request.Test): Promise<Responded> => asked.then((response) => response);

const create = (apiKey: string, headers: Record<string, string> = {}): Promise<Responded> =>
  sent(
    request(api.url)
      .post('/v1/videos')
      .set({ 'x-api-key': apiKey, ...headers })
      .send(body),
  );

const eventuallyRows = (rows: Record<string, number>): Promise<void> =>
  eventually(async () => {
    expect(await api.rows()).toMatchObject(rows);
  });

const available = async (accountId: string): Promise<unknown> =>
  (await createLedger(api.database).balanceOf(accountId)).availableQuota;

describe('creating a video while the database falls silent', () => {
  it('returns the task when it was created and only the response was lost', async () => {
    await openSilenced('client');
    const { apiKey } = await api.aKey();

    const creating = create(apiKey);
    await eventuallyRows({ task: 1 });
    api.wire.replace();
    const { status, body: task } = await creating;

    expect([status, task.status]).toEqual([200, 'queued']);
    const { body: read } = await sent(
      request(api.url).get(`/v1/videos/${task.id}`).set('x-api-key', apiKey),
    );
    expect(read.id).toBe(task.id);
    expect(await api.rows()).toMatchObject({ task: 1, hold: 1 });
  });

  it('says that nothing was created when that is so, and has given the quota back', async () => {
    await openSilenced('server');
    const { apiKey, accountId } = await api.aKey({ quota: 10_000 });

    const creating = create(apiKey, { 'idempotency-key': 'k' });
    await eventually(() => {
      expect(api.log.lines.map(({ message }) => message)).toContain('database connection lost');
    });
    api.wire.replace();
    const { status, body: refused } = await creating;

    expect([status, refused.error.code]).toEqual([503, 'upstream_unavailable']);
    expect(refused.error.message).toMatch(/nothing was created and nothing is reserved/);
    expect(await api.rows()).toEqual({ ...nothing, hold: 1 });
    expect(await available(accountId)).toBe(10_000);
  });

  it('says that it does not know when nobody can tell, and what to do', async () => {
    await openSilenced();
    const { apiKey } = await api.aKey();

    const { status, headers, body: refused } = await create(apiKey);

    expect([status, refused.error.code, headers['x-should-retry']]).toEqual([
      503,
      'outcome_unknown',
      'false',
    ]);
    expect(refused.error.message).toMatch(/GET \/v1\/videos\/video_\w+.*Idempotency-Key/);
  });

  it('makes no second video of a request that is repeated with its key', async () => {
    await openSilenced('client');
    const { apiKey } = await api.aKey();
    const first = await create(apiKey, { 'idempotency-key': 'k' });
    api.wire.replace();

    const second = await create(apiKey, { 'idempotency-key': 'k' });

    expect(first.body.error).toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringMatching(/same Idempotency-Key/),
    });
    expect([second.status, second.headers['idempotency-replayed']]).toEqual([200, 'true']);
    expect(await api.rows()).toMatchObject({ task: 1, hold: 1 });
  });
});

describe('ending a video while the database falls silent', () => {
  it('cancels it, and says so though the first response was lost', async () => {
    api = await openApi({ overWire });
    const { apiKey } = await api.aKey();
    const { body: task } = await create(apiKey);
    api.wire.fallSilent('client');

    const cancelling = sent(
      request(api.url).post(`/v1/videos/${task.id}/cancel`).set('x-api-key', apiKey),
    );
    await eventually(async () => {
      const { rows } = await api.database.pool.query<{ status: string }>('SELECT status FROM task');
      expect(rows).toEqual([{ status: 'cancelled' }]);
    });
    api.wire.replace();
    const { status, body: cancelled } = await cancelling;

    expect([status, cancelled.status]).toEqual([200, 'cancelled']);
  });

  it('deletes it, and says so though the first response was lost', async () => {
    api = await openApi({ overWire });
    const { apiKey, accountId } = await api.aKey();
    const file = Buffer.from('file');
    const id = await aFinishedTask(api, accountId, { content: file, lastFrame: file });
    await createHolds(api.database).settle(id);
    await request(api.url).get(`/v1/videos/${id}`).set('x-api-key', apiKey).expect(200);
    api.wire.fallSilent('client');

    const deleting = sent(request(api.url).delete(`/v1/videos/${id}`).set('x-api-key', apiKey));
    await eventually(async () => {
      const { rows } = await api.database.pool.query('SELECT 1 FROM task WHERE deleted_at IS NULL');
      expect(rows).toEqual([]);
    });
    api.wire.replace();
    const { status, body: deleted } = await deleting;

    expect([status, deleted]).toEqual([200, { id, object: 'video.deleted', deleted: true }]);
  });
});

describe('the probes of an api whose database falls silent', () => {
  it('say so within seconds, keep the process alive, and notice when another one answers', async () => {
    api = await openApi({ overWire });
    await request(api.opsUrl).get('/readyz').expect(200);
    api.wire.fallSilent();

    const { status, body: ready } = await sent(request(api.opsUrl).get('/readyz'));
    await request(api.opsUrl).get('/livez').expect(200);
    api.wire.replace();

    expect([status, ready]).toEqual([
      503,
      {
        status: 'unavailable',
        // Failed, where its silence was noticed by somebody else's statement first.
        checks: {
          database: expect.stringMatching(/^(?:timeout|failed)$/),
          storage: 'ok',
          clock: 'ok',
        },
      },
    ]);
    await eventually(() => request(api.opsUrl).get('/readyz').expect(200));
  });
});
