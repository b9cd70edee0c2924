import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { createMetering, createTextLeases, type Database, type LeaseAsk } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aSavedBatch, aUsageRecord, units } from './usage.ts';

/** Accounts whose leases or usage one statement brings together. */
const together = 300;
/** Of other accounts, and nobody has counted the table since it was empty. */
const otherLeases = 20_000;
/** A plan has about seventy steps, each of which handles a row once. */
const mostTimes = 100;

let test: TestDatabase;
let accounts: { readonly accountId: string; readonly leaseId: string }[];
beforeAll(async () => {
  test = await openTestDatabase();
  accounts = await Promise.all(
    Array.from({ length: together }, async () => ({
      accountId: (await anAccount(test.database, { quota: 1_000 })).id,
      leaseId: newId('lease'),
    })),
  );
  await createTextLeases(test.database).renew('replica_a');
  await createTextLeases(test.database).settle('replica_a', asks(1));
  await test.database.pool.query(
    `INSERT INTO text_lease (id, account_id, replica, sequence) SELECT 'crowd_' || n, $1, 'replica_b', 1 FROM generate_series(1, $2::int) n`,
    [(await anAccount(test.database)).id, otherLeases],
  );
});
afterAll(() => test.close());

const asks = (sequence: number): LeaseAsk[] =>
  accounts.map(({ accountId, leaseId }) => ({
    accountId,
    leaseId,
    sequence,
    spentNano: 0,
    reservedNano: 0,
    neededNano: sequence * 10e9,
    leastNano: 10e9,
    spareNano: 0,
    mode: 'keep',
  }));

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

/** Rows that the steps of a plan gave on, or looked at and left. */
const rowsOf = (plan: Plan): number =>
  plan['Actual Loops'] *
    (plan['Actual Rows'] +
      (plan['Rows Removed by Join Filter'] ?? 0) +
      (plan['Rows Removed by Filter'] ?? 0) +
      (plan['Rows Removed by Index Recheck'] ?? 0)) +
  (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), 0);

/** Runs what is asked of this database, and counts the rows that its statements handle. */
async function rowsHandled(work: (database: Database) => Promise<unknown>): Promise<number> {
  let handled = 0;
  const { pool } = test.database;
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    );
    handled += rowsOf(rows[0]!['QUERY PLAN'][0].Plan);
    return { rows: [] };
  };
  await work({ ...test.database, pool: { query } } as unknown as Database);
  return handled;
}

describe(`what ${together} accounts do in one statement`, () => {
  it('costs each as much as if it were alone: their usage', async () => {
    const batch = await aSavedBatch(
      test.database,
      accounts.map(({ accountId, leaseId }) =>
        aUsageRecord(accountId, { lease_id: leaseId, cost_nano: units(2) }),
      ),
    );

    const handled = await rowsHandled((database) => createMetering(database).apply(batch.id));

    expect(handled).toBeLessThan(together * mostTimes);
    const { rows } = await test.database.pool.query<{ charged: number }>(
      `SELECT count(*)::int AS charged FROM ledger_entry WHERE kind = 'charge' AND quota = 2`,
    );
    expect(rows).toEqual([{ charged: together }]);
  });

  it('costs each as much as if it were alone: their leases', async () => {
    const handled = await rowsHandled((database) =>
      createTextLeases(database).settle('replica_a', asks(2)),
    );

    expect(handled).toBeLessThan(together * mostTimes);
  });
});
