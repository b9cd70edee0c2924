import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { Configuration, VideoModel } from '@gateway/contracts';
import { createLedger } from '@gateway/store';
import { openApi, type ApiUnderTest } from './harness.ts';

type Price = 'usual' | 'up' | 'down' | 'longer';

let api: ApiUnderTest;
let urls: Readonly<Record<Price, string>>;
let losesHolds = false;
beforeAll(async () => {
  api = await openApi({ isHoldLost: () => losesHolds });
  urls = {
    usual: api.url,
    up: await api.aReplica(changed({ price: { secondQuota: 130, audioSecondQuota: 0 } })),
    down: await api.aReplica(changed({ price: { secondQuota: 7, audioSecondQuota: 0 } })),
    longer: await api.aReplica(changed({ duration: { min: 4, max: 20, default: 9, auto: true } })),
  };
});
afterAll(async () => {
  await api.close();
});
afterEach(async () => {
  losesHolds = false;
  expect(await createLedger(api.database).verify({ graceSeconds: 0 })).toEqual([]);
});

const changed =
  (change: Partial<VideoModel>) =>
  (usual: Configuration): Configuration => ({
    ...usual,
    models: new Map([...usual.models].map(([name, model]) => [name, { ...model, ...change }])),
  });

const perSecond = { usual: 60, up: 130, down: 7, longer: 60 } as const;
const body = { model: 'sandbox-video', prompt: 'x', resolution: '480p' };

const post = (at: Price, apiKey: string, key: string, more: object = { duration: 5 }) =>
  request(urls[at])
    .post('/v1/videos')
    .set('authorization', `Bearer ${apiKey}`)
    .set('idempotency-key', key)
    .send({ ...body, ...more });

const billingOf = (secondQuota: number, seconds: number): object => ({
  second_quota: secondQuota,
  reserved_duration_seconds: seconds,
  max_billing_quota: secondQuota * seconds,
});

/** Of an account, in the order they were taken. */
const holdsOf = async (accountId: string): Promise<unknown[]> =>
  (
    await api.database.pool.query(
      'SELECT second_quota, seconds, state FROM hold WHERE account_id = $1 ORDER BY created_at, task_id',
      [accountId],
    )
  ).rows as unknown[];

/** A request whose hold is taken and whose api never hears of it. */
async function leaveHold(at: Price, apiKey: string, more?: object): Promise<void> {
  losesHolds = true;
  const lost = await post(at, apiKey, 'order-1', more);
  losesHolds = false;
  expect(lost.status).toBe(503);
}

describe('a creation that is repeated after the configuration was changed', () => {
  it.each([
    ['usual', 'up'],
    ['usual', 'down'],
    ['up', 'down'],
    ['down', 'up'],
  ] as const)(
    'costs what was held for it at the price of “%s”, not of “%s”',
    async (before, after) => {
      const { apiKey, accountId } = await api.aKey();
      await leaveHold(before, apiKey);

      const repeated = await post(after, apiKey, 'order-1');

      expect(repeated.status).toBe(200);
      expect(repeated.body).toMatchObject({ portal_billing: billingOf(perSecond[before], 5) });
      expect(await holdsOf(accountId)).toEqual([
        { second_quota: perSecond[before], seconds: 5, state: 'open' },
      ]);
    },
  );

  it.each([
    ['usual', 'longer', {}, 9],
    ['longer', 'usual', {}, 5],
    ['usual', 'longer', { duration: -1 }, 20],
    ['longer', 'usual', { duration: -1 }, 15],
  ] as const)(
    'gives back a hold for other seconds, of “%s”, and is created by “%s” when it is repeated',
    async (before, after, more, seconds) => {
      const { apiKey, accountId } = await api.aKey();
      await leaveHold(before, apiKey, more);

      const refused = await post(after, apiKey, 'order-1', more);
      expect(refused.status).toBe(503);
      expect(refused.headers['retry-after']).toBe('1');
      expect(await holdsOf(accountId)).toMatchObject([{ state: 'closed' }]);
      const repeated = await post(after, apiKey, 'order-1', more);

      expect(repeated.status).toBe(200);
      expect(repeated.body).toMatchObject({ portal_billing: billingOf(60, seconds) });
      expect(await holdsOf(accountId)).toMatchObject([
        { state: 'closed' },
        { seconds, state: 'open' },
      ]);
    },
  );
});

describe('replicas of different configurations', () => {
  it('make one task, at the price that is held, of a creation that both get at once', async () => {
    const { apiKey } = await api.aKey({ quota: 1_000_000 });

    for (let round = 0; round < 6; round += 1) {
      const key = `both-${round}`;
      const responses = await Promise.all([
        post('up', apiKey, key),
        post('down', apiKey, key),
        post('usual', apiKey, key),
      ]);

      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
      const tasks = responses.map((response) => response.body as Record<string, unknown>);
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
      const { rows } = await api.database.pool.query<{ second_quota: number }>(
        'SELECT second_quota FROM hold WHERE task_id = $1',
        [tasks[0]?.['id']],
      );
      for (const { portal_billing: billing } of tasks) {
        expect(billing).toMatchObject(billingOf(rows[0]!.second_quota, 5));
      }
    }
  });

  it('make one task at most of a creation that they would hold for different seconds', async () => {
    const { apiKey, accountId } = await api.aKey({ quota: 1_000_000 });

    for (let round = 0; round < 6; round += 1) {
      const at = (): Promise<number>[] =>
        (['usual', 'longer'] as const).map(
          async (price) => (await post(price, apiKey, `seconds-${round}`, {})).status,
        );
      for (const status of await Promise.all(at())) expect([200, 503]).toContain(status);
      const last = await post('usual', apiKey, `seconds-${round}`, {});
      expect(last.status).toBe(200);
    }

    const { rows } = await api.database.pool.query<{ tasks: number }>(
      `SELECT count(*) AS tasks FROM hold h JOIN task t ON t.id = h.task_id WHERE h.account_id = $1 AND h.state = 'open'`,
      [accountId],
    );
    expect(rows).toEqual([{ tasks: 6 }]);
    expect(await holdsOf(accountId)).toEqual(
      expect.arrayContaining([expect.objectContaining({ state: 'open' })]),
    );
  });
});
