import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewTask, Task } from '@gateway/contracts';
import {
  createHolds,
  createLedger,
  createTaskCreation,
  createTaskMoves,
  createTaskReads,
  type Database,
} from '@gateway/store';
import { aNewTask, anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import {
  aHoldRequest,
  entriesOf,
  expectExactChain,
  inTurn,
  morePools,
  violations,
} from '../integration/store/books.ts';
import { end, succeed } from '../integration/store/stories.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

const runMs = 4_000;
const lives = 24;
const enough = { lives: 50, lost: 20 };

/**
 * Asks again when the connection was lost, as every caller of the store does in its own way: nobody
 * knows whether the first time was done.
 */
async function insisting<Value>(work: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!/connection|terminat|timeout/i.test(String(error))) throw error;
    }
  }
}

/**
 * One task from its hold to its settlement on one replica; every step may be lost, repeated, or
 * overtaken by the sweeper.
 */
async function live(replica: Database, accountId: string, index: number): Promise<void> {
  const [holds, creation, moves, reads] = [
    createHolds(replica),
    createTaskCreation(replica),
    createTaskMoves(replica),
    createTaskReads(replica),
  ];
  const draft: NewTask = aNewTask(accountId, {
    callbackUrl: index % 2 === 0 ? 'https://receiver.example/hook' : null,
  });
  const [decision] = await insisting(() =>
    holds.take(accountId, [aHoldRequest(accountId, { taskId: draft.id })]),
  );
  // now and then the API dies between hold and task
  if (decision?.outcome === 'insufficient' || index % 7 === 0) return;
  await insisting(() => creation.insertTask(draft, undefined));
  for (;;) {
    const task = await insisting(() => reads.find(draft.id));
    if (task === undefined || task.completedAt !== null) break;
    await insisting(() => advance(moves, task, index));
  }
  await insisting(() => holds.settle(draft.id));
}

function advance(
  moves: ReturnType<typeof createTaskMoves>,
  task: Task,
  index: number,
): Promise<unknown> {
  if (task.step === 'submit') {
    return task.admittedAt === null
      ? moves.admit(task.vendor.provider, { maxConcurrent: 10, most: 10 })
      : moves.claimSubmission(task);
  }
  if (task.status === 'queued') {
    return index % 5 === 0
      ? end(moves, task, 'cancelled')
      : moves.move(task, 'accepted', { changes: { step: 'poll' } });
  }
  return index % 3 === 0 ? end(moves, task, 'failed') : succeed(moves, task, 1 + (index % 5));
}

describe('connections that are lost all the time', () => {
  it('cost no money and no task: the books add up, whatever was half-done', async () => {
    const account = await anAccount(test.database, { quota: 2_000 });
    const replicas = morePools(test.url, 3);
    const untilMs = Date.now() + runMs;
    const seen = { lives: 0, lost: 0 };
    // A slow machine takes longer for as many.
    const goesOn = (): boolean =>
      Date.now() < untilMs || seen.lives < enough.lives || seen.lost < enough.lost;

    const customers = Array.from({ length: lives }, async (_, customer) => {
      for (let round = 0; goesOn(); round += 1) {
        await live(inTurn(replicas.databases, customer), account.id, customer + round * lives);
        seen.lives += 1;
      }
    });
    const sweeper = (async () => {
      while (goesOn()) {
        await insisting(() =>
          createHolds(inTurn(replicas.databases, Math.floor(Math.random() * 3))).releaseOrphans(0),
        );
      }
    })();
    const killer = (async () => {
      while (goesOn()) {
        const { rowCount } = await test.database.pool.query(
          `SELECT pg_terminate_backend(pid), pg_sleep(0.02) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'test replica' ORDER BY random() LIMIT 1`,
        );
        seen.lost += rowCount ?? 0;
      }
    })();
    const bank = (async () => {
      while (goesOn()) {
        await createLedger(test.database)
          .topUp(account.id, 25, 'in between')
          .then(() => test.database.pool.query('SELECT pg_sleep(0.02)'));
      }
    })();
    await Promise.all([...customers, sweeper, killer, bank]);
    await replicas.close();
    const holds = createHolds(test.database);
    for (const taskId of await holds.findUnsettled(10_000)) await holds.settle(taskId);
    await holds.releaseOrphans(0);

    await expect(violations(test.database, 0)).resolves.toEqual([]);
    await expectExactChain(test.database, account.id);
    const charges = (await entriesOf(test.database, account.id)).filter(
      (entry) => entry.kind === 'charge',
    ).length;
    const { rows } = await test.database.pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM task WHERE status = 'succeeded'`,
    );
    expect(charges).toBe(rows[0]?.count);
    expect(charges).toBeGreaterThan(5);
  });
});
