import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createHolds,
  createLedger,
  createTaskMoves,
  type AccountBalance,
  type Holds,
} from '@gateway/store';
import {
  aQueuedTask,
  anAccount,
  openTestDatabase,
  type TestDatabase,
  withPlace,
} from '@gateway/testing';
import {
  aHoldRequest,
  entriesOf,
  entriesOfTask,
  expectExactChain,
  holdOf,
  inTurn,
  morePools,
  violations,
} from './books.ts';
import { end, storiesOf, succeed, won, type Stories } from './stories.ts';

let test: TestDatabase;
let holds: Holds;
beforeAll(async () => {
  test = await openTestDatabase();
  holds = createHolds(test.database);
});
afterAll(() => test.close());

const balanceOf = (accountId: string): Promise<AccountBalance> =>
  createLedger(test.database).balanceOf(accountId);
const anAccountWithStories = async (quota = 1_000): Promise<{ id: string; stories: Stories }> => {
  const { id } = await anAccount(test.database, { quota });
  return { id, stories: storiesOf(test.database, id) };
};

describe('settling a task', () => {
  it('charges what was billed and releases the rest', async () => {
    const { id, stories } = await anAccountWithStories();
    const task = await stories.succeeded(3);

    await expect(holds.settle(task.id)).resolves.toBe(true);

    await expect(holdOf(test.database, task.id)).resolves.toMatchObject({
      state: 'closed',
      quota: 50,
      chargedQuota: 30,
    });
    await expect(entriesOfTask(test.database, id, task.id)).resolves.toMatchObject([
      { kind: 'hold' },
      {
        kind: 'charge',
        quota: 30,
        debit: 'held',
        credit: 'operator:revenue',
        balanceAfter: 970,
        heldAfter: 20,
      },
      {
        kind: 'release',
        quota: 20,
        debit: 'held',
        credit: 'available',
        balanceAfter: 970,
        heldAfter: 0,
      },
    ]);
    await expect(balanceOf(id)).resolves.toEqual({
      balanceQuota: 970,
      heldQuota: 0,
      availableQuota: 970,
      debtQuota: 0,
    });
    await expectExactChain(test.database, id);
  });

  it('writes no release when everything was used', async () => {
    const { id, stories } = await anAccountWithStories();
    const task = await stories.succeeded(5);

    await holds.settle(task.id);

    await expect(entriesOfTask(test.database, id, task.id)).resolves.toMatchObject([
      { kind: 'hold', quota: 50 },
      { kind: 'charge', quota: 50, balanceAfter: 950, heldAfter: 0 },
    ]);
    await expectExactChain(test.database, id);
  });

  it.each(['failed', 'expired', 'cancelled'] as const)(
    'charges nothing for a task that %s, and releases all of it',
    async (event) => {
      const { id, stories } = await anAccountWithStories();
      const task = await stories.ended(event);

      await expect(holds.settle(task.id)).resolves.toBe(true);

      await expect(holdOf(test.database, task.id)).resolves.toMatchObject({
        state: 'closed',
        chargedQuota: 0,
      });
      await expect(entriesOfTask(test.database, id, task.id)).resolves.toMatchObject([
        { kind: 'hold' },
        { kind: 'release', quota: 50 },
      ]);
      await expect(balanceOf(id)).resolves.toEqual({
        balanceQuota: 1_000,
        heldQuota: 0,
        availableQuota: 1_000,
        debtQuota: 0,
      });
    },
  );

  it('closes the hold of a free model with an entry of nothing', async () => {
    const { id, stories } = await anAccountWithStories();
    const task = await stories.succeeded(5, {
      price: { secondQuota: 0, reservedSeconds: 5, maxQuota: 0 },
    });

    await expect(holds.settle(task.id)).resolves.toBe(true);

    await expect(holdOf(test.database, task.id)).resolves.toMatchObject({
      state: 'closed',
      quota: 0,
      chargedQuota: 0,
    });
    await expect(entriesOfTask(test.database, id, task.id)).resolves.toMatchObject([
      { kind: 'hold', quota: 0 },
      { kind: 'release', quota: 0 },
    ]);
    await expect(violations(test.database, 0)).resolves.toEqual([]);
  });

  it('leaves the holds of other tasks of the account alone', async () => {
    const { id, stories } = await anAccountWithStories();
    const other = await stories.queued();
    const task = await stories.succeeded(5);

    await holds.settle(task.id);

    await expect(holdOf(test.database, other.id)).resolves.toMatchObject({
      state: 'open',
      chargedQuota: null,
    });
    await expect(balanceOf(id)).resolves.toEqual({
      balanceQuota: 950,
      heldQuota: 50,
      availableQuota: 900,
      debtQuota: 0,
    });
  });

  it('changes nothing the second time', async () => {
    const { id, stories } = await anAccountWithStories();
    const task = await stories.succeeded(3);
    await holds.settle(task.id);
    const before = await entriesOf(test.database, id);

    await expect(holds.settle(task.id)).resolves.toBe(false);

    await expect(entriesOf(test.database, id)).resolves.toEqual(before);
    await expect(balanceOf(id)).resolves.toMatchObject({ balanceQuota: 970, heldQuota: 0 });
  });

  it.each(['queued', 'submitting', 'running'] as const)(
    'does not touch a task that is still %s',
    async (stage) => {
      const { id, stories } = await anAccountWithStories();
      const task = await stories[stage]();

      await expect(holds.settle(task.id)).resolves.toBe(false);

      await expect(holdOf(test.database, task.id)).resolves.toMatchObject({ state: 'open' });
      await expect(balanceOf(id)).resolves.toMatchObject({ balanceQuota: 1_000, heldQuota: 50 });
    },
  );

  it('does nothing for a task that does not exist', async () => {
    const { id } = await anAccountWithStories();
    const request = aHoldRequest(id);
    await holds.take(id, [request]);

    await expect(holds.settle('video_missing')).resolves.toBe(false);
    await expect(holds.settle(request.task_id)).resolves.toBe(false);

    await expect(holdOf(test.database, request.task_id)).resolves.toMatchObject({ state: 'open' });
  });

  it('happens once among fifty calls from several replicas', async () => {
    const { id, stories } = await anAccountWithStories();
    const task = await stories.succeeded(2);
    const replicas = morePools(test.url, 3);
    const stores = replicas.databases.map(createHolds);

    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => inTurn(stores, index).settle(task.id)),
    );
    await replicas.close();

    expect(responses.filter(Boolean)).toHaveLength(1);
    await expect(entriesOfTask(test.database, id, task.id)).resolves.toMatchObject([
      { kind: 'hold' },
      { kind: 'charge', quota: 20 },
      { kind: 'release', quota: 30 },
    ]);
    await expect(balanceOf(id)).resolves.toEqual({
      balanceQuota: 980,
      heldQuota: 0,
      availableQuota: 980,
      debtQuota: 0,
    });
  });

  it('never charges more than was held, whatever the task says, and the books name it', async () => {
    const own = await openTestDatabase();
    const { id } = await anAccount(own.database, { quota: 1_000 });
    const moves = createTaskMoves(own.database);
    const queued = await aQueuedTask(own.database, id);
    await own.database.pool.query('ALTER TABLE task DISABLE TRIGGER task_costs_what_is_held');
    await own.database.pool.query(
      'UPDATE task SET reserved_seconds = 10, max_quota = 100 WHERE id = $1',
      [queued.id],
    );
    const running = won(
      await moves.move(
        won(await moves.claimSubmission(await withPlace(own.database, queued))),
        'accepted',
        { changes: { step: 'poll' } },
      ),
    );
    won(await succeed(moves, running, 8));

    await createHolds(own.database).settle(queued.id);

    await expect(holdOf(own.database, queued.id)).resolves.toMatchObject({
      quota: 50,
      chargedQuota: 50,
    });
    await expectExactChain(own.database, id);
    await expect(violations(own.database)).resolves.toMatchObject([
      { invariant: 'task_costs_what_is_held', subject: queued.id },
      { invariant: 'charged_as_billed', subject: queued.id },
    ]);
    await own.close();
  });
});

describe('an account that is held, settled and topped up at once', () => {
  it('keeps books that add up, entry by entry', async () => {
    const { id } = await anAccountWithStories(40 * 50);
    const tasks = await Promise.all(
      Array.from({ length: 40 }, () => aQueuedTask(test.database, id)),
    );
    const moves = createTaskMoves(test.database);
    await Promise.all(
      tasks.map(async (task, index) => {
        if (index % 4 === 0) return end(moves, task, 'cancelled');
        const running = won(
          await moves.move(
            won(await moves.claimSubmission(await withPlace(test.database, task))),
            'accepted',
            { changes: { step: 'poll' } },
          ),
        );
        return succeed(moves, running, 1 + (index % 5));
      }),
    );
    const replicas = morePools(test.url, 2);
    const stores = replicas.databases.map(createHolds);
    const ledger = createLedger(test.database);

    await Promise.all(
      tasks.flatMap((task, index) => [
        inTurn(stores, index).settle(task.id),
        inTurn(stores, index + 1).take(id, [aHoldRequest(id), aHoldRequest(id)]),
        inTurn(stores, index + 1).settle(task.id),
        ...(index % 10 === 0 ? [ledger.topUp(id, 100, 'in between')] : []),
      ]),
    );
    await replicas.close();

    await expectExactChain(test.database, id);
    await expect(violations(test.database)).resolves.toEqual([]);
    const entries = await entriesOf(test.database, id);
    expect(entries.filter((entry) => entry.kind === 'charge')).toHaveLength(30);
  });
});

describe('looking for unsettled tasks', () => {
  it('finds terminal tasks with an open hold, the longest waiting first, and no others', async () => {
    const own = await openTestDatabase();
    const { id } = await anAccount(own.database);
    const stories = storiesOf(own.database, id);
    const store = createHolds(own.database);
    const [first, second] = [await stories.ended('failed'), await stories.succeeded(5)];
    const settled = await stories.ended('cancelled');
    await store.settle(settled.id);
    await stories.running();
    await stories.queued();
    await store.take(id, [aHoldRequest(id)]);
    await own.database.pool.query(
      `UPDATE task SET completed_at = now() - interval '1 minute' WHERE id = $1`,
      [second.id],
    );

    await expect(store.findUnsettled(10)).resolves.toEqual([second.id, first.id]);
    await expect(store.findUnsettled(1)).resolves.toEqual([second.id]);
    await own.close();
  });
});
