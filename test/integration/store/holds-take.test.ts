import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHolds, createLedger, createTaskMoves, type Holds } from '@gateway/store';
import {
  aQueuedTask,
  anAccount,
  eventually,
  openTestDatabase,
  type TestDatabase,
  wideBounds,
} from '@gateway/testing';
import { createTakeHold } from '../../../services/billing/src/use-cases/take-hold.ts';
import {
  aHoldOf,
  aHoldRequest,
  entriesOf,
  expectExactChain,
  expectSomebodyWaiting,
  holdOf,
  inTurn,
  morePools,
  violations,
} from './books.ts';
import { end, won } from './stories.ts';

let test: TestDatabase;
let holds: Holds;
beforeAll(async () => {
  test = await openTestDatabase();
  holds = createHolds(test.database);
});
afterAll(() => test.close());

const outcomesOf = async (accountId: string, quotas: readonly number[]): Promise<string[]> =>
  (
    await holds.take(
      accountId,
      quotas.map((quota) => aHoldOf(accountId, quota)),
    )
  ).map((decision) => decision.outcome);

describe('taking one hold', () => {
  it('moves the quota from available to held, with its price and its entry', async () => {
    const account = await anAccount(test.database, { quota: 1_000 });
    const request = aHoldRequest(account.id, { seconds: 7, secondQuota: 30 });

    const decisions = await holds.take(account.id, [request]);

    expect(decisions).toEqual([
      { taskId: request.task_id, outcome: 'held', availableQuota: 1_000 },
    ]);
    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toEqual({
      balanceQuota: 1_000,
      heldQuota: 210,
      availableQuota: 790,
      debtQuota: 0,
    });
    const { rows } = await test.database.pool.query(
      'SELECT account_id, quota, seconds, second_quota, state, charged_quota, closed_at FROM hold WHERE task_id = $1',
      [request.task_id],
    );
    expect(rows).toEqual([
      {
        account_id: account.id,
        quota: 210,
        seconds: 7,
        second_quota: 30,
        state: 'open',
        charged_quota: null,
        closed_at: null,
      },
    ]);
    expect((await entriesOf(test.database, account.id)).at(-1)).toEqual({
      kind: 'hold',
      taskId: request.task_id,
      quota: 210,
      debit: 'available',
      credit: 'held',
      balanceAfter: 1_000,
      heldAfter: 210,
    });
  });

  it('returns `exists` for the same request again and holds nothing more', async () => {
    const account = await anAccount(test.database, { quota: 1_000 });
    const request = aHoldRequest(account.id);
    await holds.take(account.id, [request]);

    const again = await holds.take(account.id, [request]);

    expect(again).toEqual([{ taskId: request.task_id, outcome: 'exists', availableQuota: 950 }]);
    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toMatchObject({
      heldQuota: 50,
    });
    await expect(entriesOf(test.database, account.id)).resolves.toHaveLength(2);
  });

  it('returns `insufficient` when one unit is missing, and takes nothing', async () => {
    const account = await anAccount(test.database, { quota: 49 });
    const request = aHoldRequest(account.id);

    const decisions = await holds.take(account.id, [request]);

    expect(decisions).toEqual([
      { taskId: request.task_id, outcome: 'insufficient', availableQuota: 49 },
    ]);
    await expect(holdOf(test.database, request.task_id)).resolves.toBeUndefined();
    await expect(entriesOf(test.database, account.id)).resolves.toHaveLength(1);
  });

  it('takes the very last unit', async () => {
    const account = await anAccount(test.database, { quota: 50 });

    await expect(holds.take(account.id, [aHoldRequest(account.id)])).resolves.toMatchObject([
      { outcome: 'held' },
    ]);

    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toEqual({
      balanceQuota: 50,
      heldQuota: 50,
      availableQuota: 0,
      debtQuota: 0,
    });
  });

  it('does not count what is held already as available', async () => {
    const account = await anAccount(test.database, { quota: 60 });
    await holds.take(account.id, [aHoldOf(account.id, 50)]);

    await expect(holds.take(account.id, [aHoldOf(account.id, 11)])).resolves.toMatchObject([
      { outcome: 'insufficient', availableQuota: 10 },
    ]);
  });

  it('returns `closed` for a task whose hold was closed before', async () => {
    const account = await anAccount(test.database);
    const task = await aQueuedTask(test.database, account.id);
    won(await end(createTaskMoves(test.database), task, 'cancelled'));
    await holds.settle(task.id);

    await expect(
      holds.take(account.id, [aHoldRequest(account.id, { taskId: task.id })]),
    ).resolves.toMatchObject([{ outcome: 'closed' }]);

    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toMatchObject({
      heldQuota: 0,
    });
  });

  it('returns `insufficient` for an account that nobody knows', async () => {
    await expect(outcomesOf('acct_unknown', [1])).resolves.toEqual(['insufficient']);
  });

  it('holds nothing of a free model, with a hold and an entry all the same', async () => {
    const account = await anAccount(test.database, { quota: 5 });
    const request = aHoldRequest(account.id, { secondQuota: 0 });

    await expect(holds.take(account.id, [request])).resolves.toMatchObject([{ outcome: 'held' }]);

    await expect(holdOf(test.database, request.task_id)).resolves.toMatchObject({
      quota: 0,
      state: 'open',
    });
    expect((await entriesOf(test.database, account.id)).at(-1)).toMatchObject({
      kind: 'hold',
      quota: 0,
      balanceAfter: 5,
      heldAfter: 0,
    });
  });

  it('takes a hold of a free model for an account that was never topped up', async () => {
    const account = await anAccount(test.database, { quota: 0 });

    await expect(
      holds.take(account.id, [aHoldRequest(account.id, { secondQuota: 0 })]),
    ).resolves.toMatchObject([{ outcome: 'held' }]);
  });

  it('keeps the largest quota that JSON can say exactly', async () => {
    const account = await anAccount(test.database, { quota: Number.MAX_SAFE_INTEGER });
    const request = {
      ...aHoldRequest(account.id),
      quota: Number.MAX_SAFE_INTEGER,
      seconds: 1,
      second_quota: Number.MAX_SAFE_INTEGER,
    };

    await expect(holds.take(account.id, [request])).resolves.toMatchObject([
      { outcome: 'held', availableQuota: Number.MAX_SAFE_INTEGER },
    ]);

    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toMatchObject({
      heldQuota: Number.MAX_SAFE_INTEGER,
      availableQuota: 0,
    });
  });
});

describe('taking holds together', () => {
  it('decides in the order given, each exactly', async () => {
    const account = await anAccount(test.database, { quota: 100 });

    await expect(outcomesOf(account.id, [60, 40, 1])).resolves.toEqual([
      'held',
      'held',
      'undecided',
    ]);
    await expect(outcomesOf(account.id, [1])).resolves.toEqual(['insufficient']);
    await expectExactChain(test.database, account.id);
  });

  it('calls undecided what its neighbours displaced, and insufficient what could never fit', async () => {
    const account = await anAccount(test.database, { quota: 100 });

    await expect(outcomesOf(account.id, [150, 50, 101, 100])).resolves.toEqual([
      'insufficient',
      'undecided',
      'insufficient',
      'undecided',
    ]);
  });

  it('takes a task once that stands twice in one batch', async () => {
    const account = await anAccount(test.database, { quota: 1_000 });
    const request = aHoldRequest(account.id);

    const decisions = await holds.take(account.id, [request, request]);

    expect(decisions.map((decision) => decision.outcome)).toEqual(['held', 'held']);
    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toMatchObject({
      heldQuota: 50,
    });
    await expectExactChain(test.database, account.id);
  });

  it('tells known and new tasks of one batch apart', async () => {
    const account = await anAccount(test.database, { quota: 1_000 });
    const known = aHoldRequest(account.id);
    await holds.take(account.id, [known]);

    const decisions = await holds.take(account.id, [
      aHoldRequest(account.id),
      known,
      aHoldOf(account.id, 5_000),
    ]);

    expect(decisions.map((decision) => decision.outcome)).toEqual([
      'held',
      'exists',
      'insufficient',
    ]);
  });

  it('writes figures into the entries of one batch that follow from each other', async () => {
    const account = await anAccount(test.database, { quota: 10_000 });
    await holds.take(account.id, [aHoldOf(account.id, 7)]);

    await holds.take(
      account.id,
      [30, 20, 500, 1, 20].map((quota) => aHoldOf(account.id, quota)),
    );

    await expect(entriesOf(test.database, account.id)).resolves.toHaveLength(7);
    await expectExactChain(test.database, account.id);
  });

  it('lets small requests through that a large one displaced, once the batcher has asked again', async () => {
    const account = await anAccount(test.database, { quota: 100 });
    const takeHold = createTakeHold({
      take: holds.take,
      giveBack: () => Promise.resolve(),
      bounds: wideBounds,
    });

    // The first goes alone; the others meet in the batch behind it.
    const responses = await Promise.all(
      [10, 1_000, 40, 91, 50].map((quota) => takeHold(aHoldOf(account.id, quota))),
    );

    expect(responses.map((response) => response.outcome)).toEqual([
      'held',
      'insufficient',
      'held',
      'insufficient',
      'held',
    ]);
    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toMatchObject({
      availableQuota: 0,
    });
    await expectExactChain(test.database, account.id);
  });
});

describe('holds that several replicas take at once', () => {
  it('are exactly as many as the quota covers', async () => {
    const account = await anAccount(test.database, { quota: 70 * 50 + 49 });
    const replicas = morePools(test.url, 3);
    const stores = replicas.databases.map(createHolds);

    const decisions = (
      await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          inTurn(stores, index).take(account.id, [aHoldRequest(account.id)]),
        ),
      )
    ).flat();
    await replicas.close();

    const held = decisions.filter((decision) => decision.outcome === 'held');
    expect(held).toHaveLength(70);
    expect(decisions.filter((decision) => decision.outcome === 'insufficient')).toHaveLength(130);
    const { rows } = await test.database.pool.query<{ task_id: string }>(
      'SELECT task_id FROM hold WHERE account_id = $1',
      [account.id],
    );
    expect(rows.map((row) => row.task_id).sort()).toEqual(
      held.map((decision) => decision.taskId).sort(),
    );
    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toEqual({
      balanceQuota: 3_549,
      heldQuota: 3_500,
      availableQuota: 49,
      debtQuota: 0,
    });
    await expectExactChain(test.database, account.id);
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('are exactly as many as the quota covers when they come through the batcher of each', async () => {
    const account = await anAccount(test.database, { quota: 333 });
    const replicas = morePools(test.url, 3);
    const takers = replicas.databases.map((database) =>
      createTakeHold({
        take: createHolds(database).take,
        giveBack: () => Promise.resolve(),
        bounds: wideBounds,
      }),
    );

    const responses = await Promise.all(
      Array.from({ length: 600 }, (_, index) =>
        inTurn(takers, index)(aHoldOf(account.id, 1 + (index % 3))),
      ),
    );
    await replicas.close();

    const quotaOf = (index: number): number => 1 + (index % 3);
    const heldQuota = responses.reduce(
      (sum, response, index) => sum + (response.outcome === 'held' ? quotaOf(index) : 0),
      0,
    );
    const refused = responses.flatMap((response, index) =>
      response.outcome === 'insufficient' ? [quotaOf(index)] : [],
    );
    // What is available only shrinks here: whatever was refused did not fit, and does not fit at
    // the end either.
    expect(Math.min(...refused)).toBeGreaterThan(333 - heldQuota);
    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toEqual({
      balanceQuota: 333,
      heldQuota,
      availableQuota: 333 - heldQuota,
      debtQuota: 0,
    });
    await expectExactChain(test.database, account.id);
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('are one for each task, however often and in however many batches it is asked for', async () => {
    const account = await anAccount(test.database, { quota: 40 * 50 });
    const requests = Array.from({ length: 40 }, () => aHoldRequest(account.id));
    const batches = Array.from({ length: 60 }, (_, index) => {
      const from = (index * 7) % 40;
      const batch = [...requests.slice(from), ...requests.slice(0, from)].slice(
        0,
        1 + (index % 12),
      );
      return index % 2 === 0 ? batch : batch.reverse().flatMap((request) => [request, request]);
    });
    const replicas = morePools(test.url, 3);
    const stores = replicas.databases.map(createHolds);

    const decisions = (
      await Promise.all(
        batches.map((batch, index) => inTurn(stores, index).take(account.id, batch)),
      )
    ).flat();
    const settled = await holds.take(account.id, requests);
    await replicas.close();

    expect(
      settled.every((decision) => decision.outcome === 'exists' || decision.outcome === 'held'),
    ).toBe(true);
    expect(
      decisions.filter(
        (decision) => decision.outcome === 'insufficient' || decision.outcome === 'closed',
      ),
    ).toEqual([]);
    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toEqual({
      balanceQuota: 2_000,
      heldQuota: 2_000,
      availableQuota: 0,
      debtQuota: 0,
    });
    await expect(entriesOf(test.database, account.id)).resolves.toHaveLength(41);
    await expectExactChain(test.database, account.id);
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it.each([
    [1_000, 'there is more quota'],
    [50, 'that took the last quota'],
  ])(
    'are not taken twice, nor refused, for a task that another replica is just taking (%i: %s)',
    async (quota) => {
      const account = await anAccount(test.database, { quota });
      const request = aHoldRequest(account.id);
      const other = await test.database.pool.connect();
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM balance WHERE account_id = $1 FOR UPDATE', [account.id]);
      const second = holds.take(account.id, [request]);
      await eventually(() => expectSomebodyWaiting(test.database));

      await other.query(
        'INSERT INTO hold (task_id, account_id, quota, seconds, second_quota) VALUES ($1, $2, 50, 5, 10)',
        [request.task_id, account.id],
      );
      await other.query('UPDATE balance SET held = held + 50 WHERE account_id = $1', [account.id]);
      await other.query(
        `INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after) VALUES ($1, $2, 'hold', 50, 'available', 'held', $3, 50)`,
        [account.id, request.task_id, quota],
      );
      await other.query('COMMIT');
      other.release();

      expect(['undecided', 'exists']).toContain((await second)[0]?.outcome);
      await expect(holds.take(account.id, [request])).resolves.toMatchObject([
        { outcome: 'exists' },
      ]);
      await expectExactChain(test.database, account.id);
    },
  );

  it('are taken from quota that comes free while they wait', async () => {
    const account = await anAccount(test.database, { quota: 50 });
    await holds.take(account.id, [aHoldRequest(account.id)]);
    const other = await test.database.pool.connect();
    await other.query('BEGIN');
    await other.query('UPDATE balance SET balance = balance + 120 WHERE account_id = $1', [
      account.id,
    ]);
    await other.query(
      `INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after) VALUES ($1, 'top_up', 120, 'operator:issued', 'available', 170, 50)`,
      [account.id],
    );
    const waiting = holds.take(account.id, [
      aHoldRequest(account.id),
      aHoldRequest(account.id),
      aHoldRequest(account.id),
    ]);
    await eventually(() => expectSomebodyWaiting(test.database));

    await other.query('COMMIT');
    other.release();

    await expect(waiting).resolves.toMatchObject([
      { outcome: 'held', availableQuota: 120 },
      { outcome: 'held' },
      { outcome: 'undecided' },
    ]);
    await expectExactChain(test.database, account.id);
  });
});
