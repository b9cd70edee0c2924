/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { crashPoints, newId, type CrashPointName } from '@gateway/runtime';
import { eventually } from '@gateway/testing';
import type { Customer } from '../../e2e/harness.ts';
import {
  billedQuota,
  openCrashStage,
  pointsOf,
  quotaGiven,
  succeeds,
  type CrashStage,
  type PointOf,
} from './stage.ts';

type Point = PointOf<'create' | 'hold' | 'settle' | 'metering'>;

const activeVideos = 12;
const beyond = 6;

/**
 * Points whose first request gets no response, or a 503; a second one with the same key makes the one
 * task there is.
 */
const keyed = [
  'create.key-claimed',
  'create.references-stored',
  'create.inserted',
  'create.woken',
  'hold.asked',
  'hold.taken',
] as const satisfies readonly Point[];
const settling = ['settle.due', 'settle.committed'] as const satisfies readonly Point[];
const metering = ['metering.due', 'metering.applied'] as const satisfies readonly Point[];
/** The customer has no room for all that come at once. */
const crowding = ['create.full', 'hold.returned'] as const satisfies readonly Point[];

const died: CrashPointName[] = [];
const tasks = new Map<CrashPointName, string>();

let stage: CrashStage;
let reader: Customer;
let crowds: ReadonlyMap<CrashPointName, Customer>;
beforeAll(async () => {
  stage = await openCrashStage({ activeVideos, env: { api: { DATABASE_POOL_SIZE: '40' } } });
  reader = await stage.gateway.aCustomer(quotaGiven);
  crowds = new Map(
    await Promise.all(
      crowding.map(async (point) => [point, await stage.gateway.aCustomer(quotaGiven)] as const),
    ),
  );
});
afterAll(async () => {
  await stage.close();
});

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const body = (): object => ({
  model: 'sandbox-video',
  prompt: 'x',
  duration: 4,
  resolution: '480p',
  callback_url: stage.receiver.url,
  references: [{ type: 'image', url: `data:image/png;base64,${png}` }],
});

const dies = async (point: Point, meanwhile: () => Promise<unknown>): Promise<void> => {
  await stage.order(point);
  const under = meanwhile();
  await stage.death(point);
  await stage.revive(point);
  await under;
  died.push(point);
};

const videosOf = ({ accountId }: Customer): Promise<Record<string, unknown>[]> =>
  stage.sql('SELECT id, completed_at FROM task WHERE account_id = $1', accountId);

describe('a service that is killed while a task is created and paid for', () => {
  it('at create.read leaves nothing', async () => {
    await dies('create.read', () =>
      stage.send('POST', '/v1/videos', body(), { 'idempotency-key': 'create.read' }),
    );

    expect(
      await stage.sql(
        'SELECT 1 FROM idempotency_key UNION ALL SELECT 1 FROM hold UNION ALL SELECT 1 FROM task',
      ),
    ).toEqual([]);
  });

  it('at create.held leaves a hold that is given back when nobody asks again', async () => {
    await dies('create.held', () => stage.send('POST', '/v1/videos', body()));

    expect(await videosOf(stage.customer)).toEqual([]);
    await eventually(
      async () => {
        expect(await stage.sql('SELECT state, charged_quota FROM hold')).toEqual([
          { state: 'closed', charged_quota: 0 },
        ]);
      },
      { withinMs: 30_000 },
    );
  });

  it.each(keyed)(
    'at %s leaves what a second request with the same key completes',
    async (point) => {
      const headers = { 'idempotency-key': point };
      let first: Awaited<ReturnType<CrashStage['send']>>;
      await dies(point, async () => {
        first = await stage.send('POST', '/v1/videos', body(), headers);
      });
      expect(first?.status).toBe(crashPoints[point].service === 'api' ? undefined : 503);

      let second = await stage.customer.request('POST', '/v1/videos', body(), headers);
      // Services that have just come back may still look for each other: a 503 made nothing, and
      // clients ask again.
      await eventually(
        async () => {
          if (second.status === 503) {
            second = await stage.customer.request('POST', '/v1/videos', body(), headers);
          }
          expect(second.status).toBe(200);
        },
        { withinMs: 30_000, everyMs: 500 },
      );
      expect(second.headers.get('idempotency-replayed')).toBe(
        point === 'create.inserted' || point === 'create.woken' ? 'true' : null,
      );
      tasks.set(point, (second.body as { id: string }).id);
    },
  );

  it.each(settling)('at %s leaves a task that is settled once', async (point) => {
    await dies(point, async () => {
      tasks.set(point, await stage.create('x'));
    });
  });

  it.each(metering)('at %s leaves text usage that is recorded and charged once', async (point) => {
    await dies(point, async () => {
      const { status } = await reader.request(
        'POST',
        '/v1/messages',
        {
          model: 'sandbox-messages',
          max_tokens: 50,
          messages: [{ role: 'user', content: 'hello' }],
        },
        { 'anthropic-version': '2023-06-01' },
      );
      expect(status).toBe(200);
    });
    await eventually(
      async () => {
        expect(await stage.sql('SELECT id FROM usage_batch')).toEqual([]);
      },
      { withinMs: 30_000 },
    );
    const [{ records } = {}] = await stage.sql(
      'SELECT count(*) AS records FROM usage_record WHERE account_id = $1',
      reader.accountId,
    );
    expect(records).toBe(1 + metering.indexOf(point));
  });

  it('at hold.orphans-released leaves holds that are given back once', async () => {
    const taskId = newId('task');
    const { suite } = stage.gateway;
    await dies('hold.orphans-released', () =>
      fetch(`${suite.urlOf('billing')}/internal/holds`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${suite.serviceToken}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          task_id: taskId,
          account_id: stage.customer.accountId,
          quota: 240,
          seconds: 4,
          second_quota: 60,
        }),
      }),
    );

    // The point may have been reached with what an earlier test left: then this hold comes next.
    await eventually(
      async () => {
        expect(
          await stage.sql(
            'SELECT kind, quota FROM ledger_entry WHERE task_id = $1 ORDER BY id',
            taskId,
          ),
        ).toEqual([
          { kind: 'hold', quota: 240 },
          { kind: 'release', quota: 240 },
        ]);
      },
      { withinMs: 30_000 },
    );
  });

  it.each(crowding)(
    'at %s leaves no more videos than the account may have, and every other hold given back',
    async (point) => {
      const crowd = crowds.get(point)!;
      await dies(point, async () => {
        // Nobody gets its room before all of them have seen an account that has some.
        const locked = await stage.gateway.database.pool.connect();
        await locked.query('BEGIN');
        await locked.query('SELECT 1 FROM account_videos WHERE account_id = $1 FOR UPDATE', [
          crowd.accountId,
        ]);
        const sent = Array.from({ length: activeVideos + beyond }, () =>
          crowd
            .request('POST', '/v1/videos', { ...body(), callback_url: undefined })
            .catch(() => undefined),
        );
        await eventually(async () => {
          expect(
            await stage.sql(
              'SELECT count(*) AS holds FROM hold WHERE account_id = $1',
              crowd.accountId,
            ),
          ).toEqual([{ holds: activeVideos + beyond }]);
        });
        await locked.query('COMMIT');
        locked.release();
        await Promise.all(sent);
      });

      const videos = await videosOf(crowd);
      const made = videos.length;
      expect(made).toBeGreaterThan(0);
      // One that is over has made room for another.
      const active = videos.filter((video) => video['completed_at'] === null);
      expect(active.length).toBeLessThanOrEqual(activeVideos);
      await eventually(
        async () => {
          expect(
            await stage.sql(
              `SELECT state, charged_quota > 0 AS charged, count(*) AS holds FROM hold WHERE account_id = $1 GROUP BY 1, 2 ORDER BY 2`,
              crowd.accountId,
            ),
          ).toEqual(expect.arrayContaining([{ state: 'closed', charged: true, holds: made }]));
          expect(
            await stage.sql(
              `SELECT 1 FROM hold WHERE account_id = $1 AND state = 'open'`,
              crowd.accountId,
            ),
          ).toEqual([]);
        },
        { withinMs: 60_000, everyMs: 200 },
      );
      const { body: balance } = await crowd.request('GET', '/v1/billing/balance');
      expect(balance).toMatchObject({
        balance_quota: quotaGiven - made * billedQuota,
        held_quota: 0,
      });
    },
  );

  it('has died at every point that there is', () => {
    expect(died.sort()).toEqual(pointsOf('create', 'hold', 'settle', 'metering').sort());
  });

  it.each([...keyed, ...settling])(
    'at %s leaves one task that succeeds and is charged once',
    async (point) => {
      await stage.endsAs(tasks.get(point)!, succeeds);
    },
  );

  it('leaves books that are right', async () => {
    expect(await videosOf(stage.customer)).toHaveLength(tasks.size);
    await stage.booksAreRight(tasks.size);
  });
});
