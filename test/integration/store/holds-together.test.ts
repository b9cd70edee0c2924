import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHolds, createLedger, type HoldOrder, type Holds } from '@gateway/store';
import { anAccount, openTestDatabase, wideBounds, type TestDatabase } from '@gateway/testing';
import { createGatheredTake } from '../../../services/billing/src/use-cases/gather-holds.ts';
import { createTakeHold } from '../../../services/billing/src/use-cases/take-hold.ts';
import {
  aHoldOf,
  aHoldRequest,
  expectExactChain,
  holdOf,
  inTurn,
  morePools,
  violations,
} from './books.ts';

let test: TestDatabase;
let holds: Holds;
beforeAll(async () => {
  test = await openTestDatabase();
  holds = createHolds(test.database);
});
afterAll(() => test.close());

const isWanted = (): boolean => true;
const accountWith = async (quota: number): Promise<string> =>
  (await anAccount(test.database, { quota })).id;

const orderOf = (accountId: string, quotas: readonly number[]): HoldOrder => ({
  accountId,
  requests: quotas.map((quota) => aHoldOf(accountId, quota)),
});

const outcomesOf = async (
  orders: readonly HoldOrder[],
): Promise<Readonly<Record<string, readonly string[]>>> =>
  Object.fromEntries(
    [...(await holds.takeTogether(orders))].map(([accountId, decisions]) => [
      accountId,
      decisions.map(({ outcome }) => outcome),
    ]),
  );

describe('taking holds of several accounts in one statement', () => {
  it('decides each account by its own quota, in the order given', async () => {
    const rich = await accountWith(1_000);
    const poor = await accountWith(50);
    const empty = await accountWith(1);

    await expect(
      outcomesOf([orderOf(rich, [400, 600, 1]), orderOf(poor, [50, 1]), orderOf(empty, [2])]),
    ).resolves.toEqual({
      [rich]: ['held', 'held', 'undecided'],
      [poor]: ['held', 'undecided'],
      [empty]: ['insufficient'],
    });

    for (const account of [rich, poor, empty]) await expectExactChain(test.database, account);
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('says what was available before, and which tasks are known', async () => {
    const [first, second] = [await accountWith(100), await accountWith(70)];
    const known = aHoldOf(first, 30);
    await holds.take(first, [known]);

    const decided = await holds.takeTogether([
      { accountId: first, requests: [known] },
      orderOf(second, [70]),
    ]);

    expect(decided.get(first)).toMatchObject([
      { taskId: known.task_id, outcome: 'exists', availableQuota: 70 },
    ]);
    expect(decided.get(second)).toMatchObject([{ outcome: 'held', availableQuota: 70 }]);
  });

  it('leaves out an account that others have locked, waits for nobody, and takes the rest', async () => {
    const [busy, free] = [await accountWith(100), await accountWith(100)];
    const order = orderOf(busy, [10]);
    const locker = await test.database.pool.connect();
    try {
      await locker.query('BEGIN');
      await locker.query('SELECT 1 FROM balance WHERE account_id = $1 FOR UPDATE', [busy]);

      await expect(outcomesOf([order, orderOf(free, [10])])).resolves.toEqual({ [free]: ['held'] });
      await expect(
        holdOf(test.database, order.requests[0]?.task_id ?? ''),
      ).resolves.toBeUndefined();
    } finally {
      await locker.query('ROLLBACK');
      locker.release();
    }
  });

  it('leaves out an account without a balance, which is made when it is taken alone', async () => {
    const [fresh, other] = [await accountWith(0), await accountWith(5)];
    const free = aHoldRequest(fresh, { secondQuota: 0 });
    const orders = [{ accountId: fresh, requests: [free] }, orderOf(other, [5])];
    await expect(outcomesOf(orders)).resolves.toEqual({ [other]: ['held'] });

    const take = createGatheredTake(holds);

    await expect(take(fresh, [free], isWanted)).resolves.toMatchObject([{ outcome: 'held' }]);
  });

  it('gives nothing to an account that owes for text', async () => {
    const [owing, other] = [await accountWith(100), await accountWith(100)];
    await test.database.pool.query('UPDATE balance SET debt_quota = 1 WHERE account_id = $1', [
      owing,
    ]);

    await expect(outcomesOf([orderOf(owing, [1]), orderOf(other, [1])])).resolves.toEqual({
      [owing]: ['insufficient'],
      [other]: ['held'],
    });
    await test.database.pool.query('UPDATE balance SET debt_quota = 0 WHERE account_id = $1', [
      owing,
    ]);
  });

  it('tells a value that PostgreSQL refuses to the account that sent it, and to nobody else', async () => {
    const [wrong, right] = [await accountWith(100), await accountWith(100)];
    const take = createGatheredTake(holds);
    const before = [await accountWith(1), await accountWith(1)].map((account) =>
      take(account, [aHoldOf(account, 1)], isWanted),
    );

    const [refused, taken] = await Promise.allSettled([
      take(wrong, [{ ...aHoldOf(wrong, 1), quota: -1 }], isWanted),
      take(right, [aHoldOf(right, 1)], isWanted),
      ...before,
    ]);

    expect(refused).toMatchObject({ status: 'rejected', reason: { code: '23514' } });
    expect(taken).toMatchObject({ status: 'fulfilled', value: [{ outcome: 'held' }] });
    await expectExactChain(test.database, wrong);
    // Of others: PostgreSQL says that it refuses before it lets go of a row.
    const others = [await accountWith(100), await accountWith(100)] as const;
    await expect(
      holds.takeTogether([
        { accountId: others[0], requests: [{ ...aHoldOf(others[0], 1), quota: -1 }] },
        orderOf(others[1], [1]),
      ]),
    ).rejects.toMatchObject({ code: '23514' });
  });
});

describe('several replicas that gather holds', () => {
  it('take exactly what each account can pay, and every book fits', async () => {
    const places = [0, 1, 7, 20, 33, 50];
    const accounts = await Promise.all(places.map((count) => accountWith(count * 50 + 49)));
    const replicas = morePools(test.url, 3);
    const takers = replicas.databases.map((database) =>
      createTakeHold({
        take: createGatheredTake(createHolds(database)),
        giveBack: () => Promise.resolve(),
        bounds: wideBounds,
      }),
    );
    const requests = accounts.flatMap((account) =>
      Array.from({ length: 40 }, () => aHoldRequest(account)),
    );

    const responses = await Promise.all(
      // Each is asked for twice, at two replicas: as by an api that repeats.
      [...requests, ...requests].map((request, index) => inTurn(takers, index)(request)),
    );
    await replicas.close();

    expect(new Set(responses.map(({ outcome }) => outcome))).toEqual(
      new Set(['held', 'exists', 'insufficient']),
    );
    const ledger = createLedger(test.database);
    for (const [index, account] of accounts.entries()) {
      const taken = Math.min(places[index] ?? 0, 40);
      await expect(ledger.balanceOf(account)).resolves.toMatchObject({ heldQuota: taken * 50 });
      await expectExactChain(test.database, account);
    }
    await expect(violations(test.database)).resolves.toEqual([]);
  });
});
