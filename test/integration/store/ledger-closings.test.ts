import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createDataKeeping, createLedger, createLedgerReads, type Database } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { morePools, violations } from './books.ts';
import { aTaskLongOver } from './long-ago.ts';

let test: TestDatabase;
let database: Database;
let accountId: string;
beforeEach(async () => {
  test = await openTestDatabase();
  ({ database } = test);
  accountId = (await anAccount(database, { quota: 0 })).id;
});
afterEach(() => test.close());

const keeping = (one: Database = database) => createDataKeeping(one);
const monthOf = (monthsAgo: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 1))
    .toISOString()
    .slice(0, 10);
};

/** An entry of the middle of that month. */
async function toppedUp(monthsAgo: number, quota: number): Promise<void> {
  await createLedger(database).topUp(accountId, quota, 'x');
  const client = await database.pool.connect();
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(
    `UPDATE ledger_entry SET created_at = ($1::date + interval '14 days') AT TIME ZONE 'UTC' WHERE id = (SELECT max(id) FROM ledger_entry)`,
    [monthOf(monthsAgo)],
  );
  await client.query('RESET session_replication_role');
  client.release();
}

async function closeAll(one: Database = database): Promise<string[]> {
  const months: string[] = [];
  for (let month = await keeping(one).closeLedger(); month !== undefined;) {
    months.push(month);
    month = await keeping(one).closeLedger();
  }
  return months;
}

const closings = async () =>
  (
    await database.pool.query(
      `SELECT month::text, entries, balance FROM ledger_closing WHERE account_id = $1 ORDER BY month`,
      [accountId],
    )
  ).rows;

describe('a month of the ledger', () => {
  it('is closed once it is over, with the sums of everything before it', async () => {
    await toppedUp(3, 10);
    await toppedUp(3, 5);
    await toppedUp(1, 100);
    await toppedUp(0, 1_000);

    const over = await closeAll();

    expect(over.slice(0, 2)).toEqual([monthOf(3), monthOf(2)]);
    expect(over).not.toContain(monthOf(0));
    expect(await closings()).toEqual([
      { month: monthOf(3), entries: 2, balance: 15 },
      { month: monthOf(1), entries: 3, balance: 115 },
    ]);
    expect(await closeAll()).toEqual([]);
    expect(await violations(database)).toEqual([]);
  });

  it('is closed once by two replicas, and by one that goes on where another ended', async () => {
    for (const monthsAgo of [6, 5, 4, 3, 2]) await toppedUp(monthsAgo, 1);
    const { databases, close } = morePools(test.url, 2);
    await Promise.all(databases.map((one) => closeAll(one)));
    await close();
    await database.pool.query('DELETE FROM ledger_month WHERE month >= $1', [monthOf(4)]);
    await closeAll();

    expect((await closings()).map(({ entries }: { entries: number }) => entries)).toEqual([
      1, 2, 3, 4, 5,
    ]);
    expect(await violations(database)).toEqual([]);
  });

  it('has no closing while it goes on, nor where there is nothing', async () => {
    expect(await closeAll()).toEqual([]);
    await toppedUp(0, 5);
    expect(await closeAll()).toEqual([]);
    expect(await closings()).toEqual([]);
  });

  it('is where a short check begins, which still finds what came after it', async () => {
    await toppedUp(8, 10);
    await aTaskLongOver(database, (await anAccount(database, { quota: 500 })).id);
    await closeAll();
    await toppedUp(0, 7);
    const short = () => createLedger(database).verify({ graceSeconds: 60, sinceClosing: true });
    expect(await short()).toEqual([]);
    await database.pool.query('UPDATE balance SET balance = balance + 1 WHERE account_id = $1', [
      accountId,
    ]);
    expect(await short()).toEqual([
      expect.objectContaining({ invariant: 'balance_is_sum_of_entries', subject: accountId }),
    ]);
    await database.pool.query('UPDATE balance SET balance = balance - 1 WHERE account_id = $1', [
      accountId,
    ]);

    // What was closed is for the check of everything.
    await pastTriggers('UPDATE ledger_entry SET quota = 11 WHERE account_id = $1 AND quota = 10');
    expect(await short()).toEqual([]);
    expect((await violations(database)).map(({ invariant }) => invariant)).toEqual(
      expect.arrayContaining([
        'closing_is_sum_of_entries',
        'balance_is_sum_of_entries',
        'entries_form_a_chain',
      ]),
    );
  });

  it('is not changed any more', async () => {
    await toppedUp(3, 10);
    await closeAll();
    await expect(database.pool.query('UPDATE ledger_closing SET balance = 0')).rejects.toThrow(
      'never changed',
    );
    await expect(database.pool.query('DELETE FROM ledger_closing')).rejects.toThrow(
      'never changed',
    );
    const { items } = await createLedgerReads(database).page({ accountId, limit: 5 });
    expect(items).toHaveLength(1);
  });
});

async function pastTriggers(sql: string): Promise<void> {
  const client = await database.pool.connect();
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(sql, [accountId]);
  await client.query('RESET session_replication_role');
  client.release();
}
