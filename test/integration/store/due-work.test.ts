import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import {
  createDueWork,
  createHolds,
  createLedger,
  createTaskMoves,
  type Due,
  type DueWork,
} from '@gateway/store';
import {
  anAccount,
  aQueuedTask,
  openTestDatabase,
  withPlace,
  type TestDatabase,
} from '@gateway/testing';

let test: TestDatabase;
let due: DueWork;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  due = createDueWork(test.database);
  accountId = (await anAccount(test.database)).id;
});
afterAll(() => test.close());

const ago = (sql: string, taskId: string, seconds: number) =>
  test.database.pool.query(sql, [taskId, seconds]);

/**
 * Tests may be slow: an age is what it was made, less the rounding of columns that keep
 * milliseconds, and less than a minute more.
 */
function expectDue(
  { count, oldestSeconds }: Due,
  wanted: { count: number; seconds: number },
): void {
  expect(count).toBe(wanted.count);
  expect(oldestSeconds).toBeGreaterThan(wanted.seconds - 0.001);
  expect(oldestSeconds).toBeLessThan(wanted.seconds + (wanted.count === 0 ? 1e-9 : 60));
}

async function end(task: Task): Promise<void> {
  const running = await createTaskMoves(test.database).move(task, 'accepted', {
    changes: { step: 'poll' },
  });
  await createTaskMoves(test.database).move(running!, 'failed', {
    changes: {
      step: 'done',
      failure: { code: 'vendor_error', message: 'no' },
      billed: { seconds: 0, quota: 0 },
    },
  });
}

describe('work that is due according to the tables', () => {
  it('is none in the beginning', async () => {
    for (const read of [due.firstSubmissions, due.pushes, due.settlements, due.usageBatches]) {
      expectDue(await read(), { count: 0, seconds: 0 });
    }
    expect(await due.vendorQueues()).toEqual([]);
  });

  it('holds a task from when it got its slot until somebody has submitted it, and none that waits in the queue', async () => {
    const inLine = await aQueuedTask(test.database, accountId);
    const placed = await withPlace(test.database, await aQueuedTask(test.database, accountId));
    await ago(
      `UPDATE task SET admitted_at = now() - make_interval(secs => $2) WHERE id = $1`,
      placed.id,
      100,
    );
    await ago(
      `UPDATE task SET created_at = now() - make_interval(secs => $2) WHERE id = $1`,
      inLine.id,
      200,
    );

    expectDue(await due.firstSubmissions(), { count: 1, seconds: 100 });
    expect(await due.vendorQueues()).toEqual([
      { provider: 'sandbox', slotsTaken: 1, waiting: 1, oldestSeconds: expect.closeTo(230, -2) },
    ]);

    await ago('UPDATE task SET step_failures = $2 WHERE id = $1', placed.id, 1);
    expectDue(await due.firstSubmissions(), { count: 0, seconds: 0 });
  });

  it('holds the hold of a task that is over until it is settled', async () => {
    const task = await withPlace(test.database, await aQueuedTask(test.database, accountId));
    await end(task);
    expectDue(await due.settlements(), { count: 1, seconds: 0 });

    await createHolds(test.database).settle(task.id);

    expectDue(await due.settlements(), { count: 0, seconds: 0 });
  });

  it('holds a push from its event on, or from when nothing puts it off any more', async () => {
    const { id } = await aQueuedTask(test.database, accountId, {
      callbackUrl: 'https://receiver.example/',
    });
    await ago(
      `UPDATE task_event SET at = now() - make_interval(secs => $2) WHERE task_id = $1`,
      id,
      500,
    );
    await ago(
      `UPDATE callback SET due_at = NULL, claimed_until = NULL WHERE task_id = $1 AND $2 > 0`,
      id,
      1,
    );
    expectDue(await due.pushes(), { count: 1, seconds: 500 });

    await ago(
      `UPDATE callback SET due_at = now() - make_interval(secs => $2) WHERE task_id = $1`,
      id,
      50,
    );
    expectDue(await due.pushes(), { count: 1, seconds: 50 });

    await ago(
      `UPDATE callback SET due_at = now() + make_interval(secs => $2) WHERE task_id = $1`,
      id,
      600,
    );
    expectDue(await due.pushes(), { count: 0, seconds: 0 });

    await ago(
      `UPDATE callback SET due_at = NULL, claim_token = 'x', claimed_until = now() + make_interval(secs => $2) WHERE task_id = $1`,
      id,
      600,
    );
    expectDue(await due.pushes(), { count: 0, seconds: 0 });
  });

  it('holds usage that lies in the outbox', async () => {
    await ago(
      `INSERT INTO usage_batch (id, records, created_at) VALUES ($1, '[]', now() - make_interval(secs => $2))`,
      'ub_1',
      70,
    );

    expectDue(await due.usageBatches(), { count: 1, seconds: 70 });
  });
});

describe('the totals of the books', () => {
  it('are what is held and what is left, over all accounts', async () => {
    const before = await createLedger(test.database).totals();
    const other = await anAccount(test.database, { quota: 1_000 });
    await aQueuedTask(test.database, other.id);

    expect(await createLedger(test.database).totals()).toEqual({
      heldQuota: before.heldQuota + 50,
      availableQuota: before.availableQuota + 950,
      openHolds: before.openHolds + 1,
    });
  });
});
