import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HoldResponse, HoldRequest } from '@gateway/contracts';
import { createHolds } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase, wideBounds } from '@gateway/testing';
import { createTakeHold } from '../../../services/billing/src/use-cases/take-hold.ts';
import { aHoldOf, expectExactChain, inTurn, morePools, violations } from '../store/books.ts';

let test: TestDatabase;
let replicas: ReturnType<typeof morePools>;
let takes: readonly ((request: HoldRequest) => Promise<HoldResponse>)[];
beforeAll(async () => {
  test = await openTestDatabase();
  replicas = morePools(test.url, 2);
  takes = replicas.databases.map((database) =>
    createTakeHold({
      take: createHolds(database).take,
      giveBack: () => Promise.resolve(),
      bounds: wideBounds,
    }),
  );
});
afterAll(async () => {
  await replicas.close();
  await test.close();
});

/** Asks two replicas in turn, so many callers at once. */
async function askAll(
  requests: readonly HoldRequest[],
  callers = 64,
): Promise<HoldResponse['outcome'][]> {
  const responses: HoldResponse['outcome'][] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let index = next++; index < requests.length; index = next++) {
        responses[index] = (await inTurn(takes, index)(requests[index]!)).outcome;
      }
    }),
  );
  return responses;
}

const countOf = (responses: readonly string[], outcome: string): number =>
  responses.filter((response) => response === outcome).length;
const balanceOf = async (accountId: string) =>
  (
    await test.database.pool.query<{ balance: number; held: number }>(
      'SELECT balance, held FROM balance WHERE account_id = $1',
      [accountId],
    )
  ).rows[0];

describe('one hot account on two replicas of billing', () => {
  it('gives exactly what there is: not one hold too many, not one too few', async () => {
    const { id } = await anAccount(test.database, { quota: 600 * 7 });

    const responses = await askAll(Array.from({ length: 1_000 }, () => aHoldOf(id, 7)));

    expect([countOf(responses, 'held'), countOf(responses, 'insufficient')]).toEqual([600, 400]);
    await expect(balanceOf(id)).resolves.toEqual({ balance: 4_200, held: 4_200 });
    await expectExactChain(test.database, id);
  });

  it('lets a large hold that does not fit hold up none of the small ones', async () => {
    const { id } = await anAccount(test.database, { quota: 500 });

    const responses = await askAll(
      Array.from({ length: 400 }, (_, index) => aHoldOf(id, index % 4 === 0 ? 600 : 1)),
    );

    expect([countOf(responses, 'held'), countOf(responses, 'insufficient')]).toEqual([300, 100]);
    await expect(balanceOf(id)).resolves.toEqual({ balance: 500, held: 300 });
  });

  it('counts a task once, however many ask for it at both', async () => {
    const { id } = await anAccount(test.database, { quota: 10_000 });
    const tasks = Array.from({ length: 50 }, () => aHoldOf(id, 10));

    const responses = await askAll(
      Array.from({ length: 600 }, (_, index) => inTurn(tasks, index * 7)),
    );

    expect(countOf(responses, 'held') + countOf(responses, 'exists')).toBe(600);
    await expect(balanceOf(id)).resolves.toEqual({ balance: 10_000, held: 500 });
  });
});

describe('a thousand cold accounts beside a hot one', () => {
  it('each get exactly what they have', async () => {
    const { id: hot } = await anAccount(test.database, { quota: 500 });
    const { rows: cold } = await test.database.pool.query<{ id: string }>(
      `INSERT INTO account (id, name) SELECT 'acct_cold_' || g, 'cold' FROM generate_series(1, 1000) g RETURNING id`,
    );
    await test.database.pool.query(
      `WITH b AS (INSERT INTO balance (account_id, balance) SELECT id, 15 FROM account WHERE name = 'cold' RETURNING account_id)
       INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after) SELECT account_id, 'top_up', 15, 'operator:issued', 'available', 15, 0 FROM b`,
    );

    // Each asks twice for ten of its fifteen, and the hot one once between two others.
    const requests = cold.flatMap(({ id }) => [aHoldOf(id, 10), aHoldOf(hot, 1), aHoldOf(id, 10)]);
    const responses = await askAll(requests);

    expect(
      countOf(
        requests.map(
          ({ account_id: account }, index) =>
            `${account === hot ? 'hot' : 'cold'} ${responses[index]!}`,
        ),
        'hot held',
      ),
    ).toBe(500);
    const { rows } = await test.database.pool.query<{ accounts: number; held: number }>(
      `SELECT count(*) AS accounts, sum(held)::bigint AS held FROM balance WHERE account_id LIKE 'acct_cold_%' AND held = 10`,
    );
    expect(rows).toEqual([{ accounts: 1_000, held: 10_000 }]);
    await expect(violations(test.database, 3_600)).resolves.toEqual([]);
  });
});
