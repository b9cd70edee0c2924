import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewTask } from '@gateway/contracts';
import {
  createDatabase,
  createHolds,
  createLedger,
  createTaskCreation,
  createTaskReads,
  type Database,
  type Holds,
} from '@gateway/store';
import {
  aNewTask,
  aQueuedTask,
  anAccount,
  eventually,
  openTestDatabase,
  type TestDatabase,
} from '@gateway/testing';
import pg from 'pg';
import {
  aHoldRequest,
  ageHold,
  endWaitingSessions,
  entriesOfTask,
  expectExactChain,
  expectSomebodyWaiting,
  holdOf,
  inTurn,
  morePools,
  violations,
} from './books.ts';

let test: TestDatabase;
let holds: Holds;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  holds = createHolds(test.database);
});
afterAll(() => test.close());
beforeEach(async () => {
  accountId = (await anAccount(test.database, { quota: 100_000 })).id;
});

/** A task that is about to be created: its hold is taken, and was taken this long ago. */
async function aHeldDraft(ageSeconds: number): Promise<NewTask> {
  const draft = aNewTask(accountId);
  await holds.take(accountId, [aHoldRequest(accountId, { taskId: draft.id })]);
  await ageHold(test.database, draft.id, ageSeconds);
  return draft;
}

const insert = (draft: NewTask): Promise<unknown> =>
  createTaskCreation(test.database).insertTask(draft, undefined);
const find = (draft: NewTask): Promise<unknown> => createTaskReads(test.database).find(draft.id);

describe('giving back holds without a task', () => {
  it('gives back an old one: closed, uncharged, with its entry', async () => {
    const draft = await aHeldDraft(61);

    await expect(holds.releaseOrphans(60)).resolves.toEqual([draft.id]);

    await expect(holdOf(test.database, draft.id)).resolves.toMatchObject({
      state: 'closed',
      chargedQuota: 0,
    });
    await expect(entriesOfTask(test.database, accountId, draft.id)).resolves.toMatchObject([
      { kind: 'hold', quota: 50 },
      { kind: 'release', quota: 50, heldAfter: 0 },
    ]);
    await expect(createLedger(test.database).balanceOf(accountId)).resolves.toEqual({
      balanceQuota: 100_000,
      heldQuota: 0,
      availableQuota: 100_000,
      debtQuota: 0,
    });
  });

  it('keeps a young one, whose task may be on its way', async () => {
    const draft = await aHeldDraft(55);

    await expect(holds.releaseOrphans(60)).resolves.toEqual([]);

    await expect(holdOf(test.database, draft.id)).resolves.toMatchObject({ state: 'open' });
    await expect(insert(draft)).resolves.toMatchObject({ id: draft.id });
  });

  it('keeps one with a task, however old', async () => {
    const task = await aQueuedTask(test.database, accountId);
    await ageHold(test.database, task.id, 1_000_000);

    await expect(holds.releaseOrphans(60)).resolves.not.toContain(task.id);

    await expect(holdOf(test.database, task.id)).resolves.toMatchObject({ state: 'open' });
  });

  it('returns nothing the second time', async () => {
    await aHeldDraft(100);
    await holds.releaseOrphans(60);

    await expect(holds.releaseOrphans(60)).resolves.toEqual([]);
  });

  it('gives back many of many accounts at once, each account with an exact chain', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => anAccount(test.database)));
    const requests = accounts.map(({ id }) => Array.from({ length: 20 }, () => aHoldRequest(id)));
    await Promise.all(requests.map((batch) => holds.take(batch[0]?.account_id ?? '', batch)));
    await Promise.all(
      requests.flat().map((request) => ageHold(test.database, request.task_id, 100)),
    );

    const released = await holds.releaseOrphans(60);

    expect([...released].sort()).toEqual(
      requests
        .flat()
        .map((request) => request.task_id)
        .sort(),
    );
    for (const { id } of accounts) await expectExactChain(test.database, id);
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('does not wait for a hold that somebody has locked, and takes it the next time', async () => {
    const draft = await aHeldDraft(100);
    const other = await test.database.pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM hold WHERE task_id = $1 FOR SHARE', [draft.id]);

    await expect(holds.releaseOrphans(60)).resolves.toEqual([]);
    await other.query('COMMIT');
    other.release();

    await expect(holds.releaseOrphans(60)).resolves.toEqual([draft.id]);
  });

  it('fails, and gives back nothing, when its connection is lost half-way, and works the next time', async () => {
    const draft = await aHeldDraft(100);
    const slow = await aSweepThatPauses(test.url);
    const sweeping = createHolds(slow.database).releaseOrphans(60);
    await eventually(() => expectSomebodyWaiting(test.database));

    await Promise.all([expect(sweeping).rejects.toThrow(), endWaitingSessions(test.database)]);

    await expect(holdOf(test.database, draft.id)).resolves.toMatchObject({ state: 'open' });
    await slow.goOn();
    await expect(createHolds(slow.database).releaseOrphans(60)).resolves.toEqual([draft.id]);
    await slow.close();
  });

  it('releases each hold once when several replicas sweep at once', async () => {
    const requests = Array.from({ length: 60 }, () => aHoldRequest(accountId));
    await holds.take(accountId, requests);
    await Promise.all(requests.map((request) => ageHold(test.database, request.task_id, 100)));
    const replicas = morePools(test.url, 3);
    const stores = replicas.databases.map(createHolds);

    const released = (
      await Promise.all(
        Array.from({ length: 12 }, (_, index) => inTurn(stores, index).releaseOrphans(60)),
      )
    ).flat();
    await replicas.close();

    expect([...released].sort()).toEqual(requests.map((request) => request.task_id).sort());
    await expectExactChain(test.database, accountId);
  });
});

describe('a task that is created while its hold is given back', () => {
  it('is not created when the release came first and is under way', async () => {
    const draft = await aHeldDraft(100);
    const other = await test.database.pool.connect();
    await other.query('BEGIN');
    await releaseByHand(other, draft.id);
    const creating = insert(draft);
    await eventually(() => expectSomebodyWaiting(test.database));

    await other.query('COMMIT');
    other.release();

    await expect(creating).resolves.toBeUndefined();
    await expect(find(draft)).resolves.toBeUndefined();
  });

  it('is created when that release was rolled back', async () => {
    const draft = await aHeldDraft(100);
    const other = await test.database.pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM hold WHERE task_id = $1 FOR UPDATE', [draft.id]);
    const creating = insert(draft);
    await eventually(() => expectSomebodyWaiting(test.database));

    await other.query('ROLLBACK');
    other.release();

    await expect(creating).resolves.toMatchObject({ id: draft.id, status: 'queued' });
  });

  it('keeps its hold when it was created after the sweep had looked and before the sweep had locked', async () => {
    const draft = await aHeldDraft(100);
    const slow = await aSweepThatPauses(test.url);
    const sweeping = createHolds(slow.database).releaseOrphans(60);
    await eventually(() => expectSomebodyWaiting(test.database));

    await expect(insert(draft)).resolves.toMatchObject({ id: draft.id });
    await slow.goOn();

    await expect(sweeping).resolves.toEqual([]);
    await expect(holdOf(test.database, draft.id)).resolves.toMatchObject({ state: 'open' });
    await slow.close();
  });

  it('never lives without an open hold, however the two fall together', async () => {
    const replicas = morePools(test.url, 2);
    const stores = replicas.databases.map(createHolds);
    const seen = { created: 0, refused: 0 };
    for (let round = 0; round < 40; round += 1) {
      const drafts = await Promise.all(Array.from({ length: 8 }, () => aHeldDraft(100)));

      await Promise.all([
        ...drafts.map(async (draft, index) => {
          // A different number of round trips before each, so that the two meet in every order.
          for (let step = 0; step < (round + index) % 6; step += 1) await test.database.check();
          const task = await insert(draft);
          seen[task === undefined ? 'refused' : 'created'] += 1;
        }),
        ...stores.map(async (store, index) => {
          for (let step = 0; step < (round * 5 + index) % 4; step += 1) await test.database.check();
          await store.releaseOrphans(60);
        }),
      ]);
    }
    await replicas.close();

    // Both orders did happen, or the test has shown nothing.
    expect(seen.created).toBeGreaterThan(10);
    expect(seen.refused).toBeGreaterThan(10);
    await expect(violations(test.database)).resolves.toEqual([]);
  });
});

/** What a release writes, inside a transaction that the test ends when it likes. */
async function releaseByHand(client: pg.PoolClient, taskId: string): Promise<void> {
  await client.query(
    `UPDATE hold SET state = 'closed', charged_quota = 0, closed_at = now() WHERE task_id = $1`,
    [taskId],
  );
  await client.query('UPDATE balance SET held = held - 50 WHERE account_id = $1', [accountId]);
  await client.query(
    `INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after) VALUES ($1, $2, 'release', 50, 'held', 'available', 100000, 0)`,
    [accountId, taskId],
  );
}

const pauseLock = 4_711;

/**
 * A store whose sweep stops in the middle of its first statement: its `make_interval` is one of the
 * test's own, which waits for an advisory lock. By then the statement has its view of the tables,
 * and has not locked a row.
 */
async function aSweepThatPauses(
  url: string,
): Promise<{ readonly database: Database; goOn(): Promise<void>; close(): Promise<void> }> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query(`
    CREATE SCHEMA IF NOT EXISTS slow;
    CREATE OR REPLACE FUNCTION slow.make_interval(secs double precision) RETURNS interval LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_catalog.pg_advisory_xact_lock_shared(${pauseLock});
      RETURN secs * interval '1 second';
    END $$`);
  await holder.query('SELECT pg_advisory_lock($1)', [pauseLock]);
  const slowUrl = new URL(url);
  slowUrl.searchParams.set('options', '-c search_path=slow,pg_catalog,public');
  const database = createDatabase({
    url: slowUrl.href,
    applicationName: 'slow sweep',
    poolSize: 1,
    onError: () => undefined,
  });
  return {
    database,
    goOn: async () => {
      await holder.query('SELECT pg_advisory_unlock($1)', [pauseLock]);
    },
    close: async () => {
      await Promise.all([database.part.stop(), holder.end()]);
    },
  };
}
