import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createAdjustments,
  createDataKeeping,
  createHolds,
  createLedger,
  createLedgerReads,
  createTextLeases,
  createUsageReads,
  type Database,
} from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aHoldOf, violations } from './books.ts';
import { aTaskLongOver } from './long-ago.ts';
import { inTransactionPastTriggers } from './past-triggers.ts';
import { untilAudited } from './until-audited.ts';

let test: TestDatabase;
let database: Database;
let accountId: string;
beforeEach(async () => {
  test = await openTestDatabase();
  ({ database } = test);
  accountId = (await anAccount(database, { quota: 1_000 })).id;
});
afterEach(() => test.close());

const keeping = () => createDataKeeping(database);
const verify = (sinceClosing = false) =>
  createLedger(database).verify({ graceSeconds: 3_600, sinceClosing });

/** As time passes: what is in the ledger so far is of so many days ago, and entries get the numbers of the next month. */
async function nextMonth(daysAgo: number): Promise<void> {
  const { rows } = await database.pool.query<{ name: string; next: string }>(
    `SELECT p.name, (SELECT n.from_at::text FROM data_partition n WHERE n.parent = p.parent AND n.from_at >= p.until_at ORDER BY n.from_at LIMIT 1) AS next
     FROM data_partition p WHERE p.parent = 'ledger_entry' AND p.name = (SELECT tableoid::regclass::text FROM ledger_entry ORDER BY id DESC LIMIT 1)`,
  );
  const [last] = rows;
  await inTransactionPastTriggers(database, async (client) => {
    await client.query(
      `UPDATE ledger_entry SET created_at = created_at - make_interval(days => $1)`,
      [daysAgo],
    );
    for (const table of ['hold', 'task', 'archived_task']) {
      await client.query(
        `UPDATE ${table} SET created_at = created_at - make_interval(days => $1)`,
        [daysAgo],
      );
    }
    await client.query(
      `UPDATE data_partition SET until_at = until_at - make_interval(days => $1) WHERE parent = 'ledger_entry' AND until_at < now()`,
      [daysAgo],
    );
    await client.query('DELETE FROM ledger_month');
    await client.query(
      `UPDATE data_partition SET until_at = date_trunc('month', now() - make_interval(days => $2)) + interval '1 month' WHERE name = $1`,
      [last?.name, daysAgo],
    );
    await client.query(
      `SELECT setval('ledger_entry_id_seq', first_entry_number($1::timestamptz))`,
      [last?.next],
    );
  });
}

async function closeAll(): Promise<void> {
  for (let month = await keeping().closeLedger(); month !== undefined;) {
    month = await keeping().closeLedger();
  }
}

const audited = () => untilAudited(database, { graceSeconds: 3_600 });

const partitionsWithEntries = async (): Promise<string[]> =>
  (
    await database.pool.query<{ name: string }>(
      'SELECT DISTINCT tableoid::regclass::text AS name FROM ledger_entry ORDER BY 1',
    )
  ).rows.map(({ name }) => name);

const carried = async () =>
  (
    await database.pool.query(
      'SELECT account_id, lease_id, entries, balance, held FROM ledger_carried ORDER BY lease_id',
    )
  ).rows as unknown[];

describe('a month of the ledger', () => {
  it('begins with numbers of its own once its partition is there, and never goes back', async () => {
    const numbers = async (): Promise<number> => {
      await createLedger(database).topUp(accountId, 1, 'x');
      return (
        await database.pool.query<{ last: number }>('SELECT max(id) AS last FROM ledger_entry')
      ).rows[0]?.last as number;
    };
    const before = await numbers();
    await keeping().makePartitions(3);
    expect(await numbers()).toBe(before + 1);

    // The first partition is of a month ago: this month's is missing, is made, and its numbers begin.
    await database.pool.query(
      `UPDATE data_partition SET until_at = date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' WHERE name = 'ledger_entry_before'`,
    );
    await database.pool.query(
      `DO $$ BEGIN
         ALTER TABLE ledger_entry DETACH PARTITION ledger_entry_before;
         EXECUTE format('ALTER TABLE ledger_entry ATTACH PARTITION ledger_entry_before FOR VALUES FROM (MINVALUE) TO (%s)', first_entry_number(date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'));
       END $$`,
    );
    expect(await keeping().makePartitions(3)).toBe(1);
    const jumped = await numbers();
    expect(jumped).toBeGreaterThan(1_000_000_000_000);
    await keeping().makePartitions(3);
    expect(await numbers()).toBe(jumped + 1);
    expect((await partitionsWithEntries()).length).toBe(2);
    await audited();
    expect(await verify()).toEqual([]);
  });

  it('is dropped with its sums carried on, and everything that is left stays true', async () => {
    const archived = await aTaskLongOver(database, accountId, { daysAgo: 30 });
    await createAdjustments(database).adjust({
      accountId,
      key: 'fix-1',
      quota: 7,
      note: 'why',
      taskId: archived,
    });
    await nextMonth(700);
    await keeping().archiveTasks({ days: 7, limit: 10 });
    await createLedger(database).topUp(accountId, 50, 'later');
    await nextMonth(500);
    await createLedger(database).topUp(accountId, 5, 'now');
    await closeAll();
    await audited();
    const balance = await createLedger(database).balanceOf(accountId);
    const usage = await createUsageReads(database).byDay({
      accountId,
      from: '2020-01-01',
      to: new Date().toISOString().slice(0, 10),
    });

    expect(await keeping().dropLedger(1_300)).toBeUndefined();
    expect(await keeping().dropLedger(800)).toBe('ledger_entry_before');
    expect(await keeping().dropLedger(800)).toBeUndefined();

    expect(await partitionsWithEntries()).toHaveLength(2);
    expect(await createLedger(database).balanceOf(accountId)).toEqual(balance);
    expect(
      await createUsageReads(database).byDay({
        accountId,
        from: '2020-01-01',
        to: new Date().toISOString().slice(0, 10),
      }),
    ).toEqual(usage);
    expect([await verify(), await verify(true)]).toEqual([[], []]);
    await audited();

    expect(await keeping().dropLedger(410)).toMatch(/^ledger_entry_y/);
    expect(await carried()).toEqual([
      {
        account_id: accountId,
        lease_id: '',
        entries: 6,
        balance: balance.balanceQuota - 5,
        held: 0,
      },
    ]);
    expect([await verify(), await verify(true)]).toEqual([[], []]);
    await auditAnew();
    await audited();
    // What is wrong is found over the boundary too.
    await database.pool.query('UPDATE balance SET balance = balance + 1');
    expect((await verify()).map(({ invariant }) => invariant)).toEqual([
      'balance_is_sum_of_entries',
    ]);
  });

  it('leaves statements that begin with what is carried, lists that end there, and keys that are used', async () => {
    const adjustment = { accountId, key: 'once', quota: 3, note: 'why', taskId: null };
    await createAdjustments(database).adjust(adjustment);
    await nextMonth(500);
    await createLedger(database).topUp(accountId, 5, 'now');
    await closeAll();
    await audited();
    const reads = createLedgerReads(database);
    const first = (await reads.page({ accountId, limit: 10 })).items.at(-1)?.id;

    await keeping().dropLedger(400);

    expect(await reads.statement({ accountId })).toMatchObject({
      opening: { balanceQuota: 1_003, heldQuota: 0 },
      entries: [{ quota: 5, balanceAfter: 1_008 }],
      closing: { balanceQuota: 1_008, heldQuota: 0 },
    });
    for (const param of ['from', 'until']) {
      await expect(
        reads.statement({ accountId, [param]: new Date('2020-01-01T00:00:00Z') }),
      ).rejects.toThrow(`${param} must be later than`);
    }
    const quietSince = await reads.statement({
      accountId,
      until: new Date(Date.now() - 86_400_000),
    });
    expect(quietSince).toMatchObject({ entries: [], closing: { balanceQuota: 1_003 } });
    expect((await reads.page({ accountId, limit: 10 })).items).toHaveLength(1);
    expect((await reads.page({ accountId, limit: 10, after: first })).items).toEqual([]);
    expect(await createAdjustments(database).adjust(adjustment)).toMatchObject({
      outcome: 'reused',
      known: { quota: 3, note: 'why', taskId: null },
    });
    expect(await createLedger(database).balanceOf(accountId)).toMatchObject({
      balanceQuota: 1_008,
    });
  });

  it('carries what a lease holds over the boundary until it has given it back', async () => {
    const ask = {
      accountId,
      leaseId: 'lease_x',
      spentNano: 0,
      reservedNano: 0,
      leastNano: 0,
      spareNano: 0,
    };
    const leases = createTextLeases(database);
    await leases.renew('r');
    await leases.settle('r', [{ ...ask, sequence: 1, neededNano: 9e9, mode: 'keep' }]);
    await nextMonth(500);
    await closeAll();
    await audited();
    await keeping().dropLedger(400);
    expect(await carried()).toMatchObject([
      { lease_id: '', held: 9 },
      { lease_id: 'lease_x', held: 9 },
    ]);
    expect(await verify()).toEqual([]);

    await leases.settle('r', [{ ...ask, sequence: 2, neededNano: 0, mode: 'close' }]);
    expect(await verify()).toEqual([]);
    await nextMonth(450);
    await closeAll();
    await audited();
    await keeping().dropLedger(400);
    expect(await carried()).toMatchObject([{ lease_id: '', held: 0 }]);
    expect(await verify()).toEqual([]);
  });

  it.each([
    ['whose sums no closing has', async () => Promise.resolve()],
    [
      'that the audit has not read',
      async () => {
        await closeAll();
        await database.pool.query(`UPDATE audit_watermark SET positions = '{"ledger_entry": 0}'`);
      },
    ],
    [
      'with a hold that is open',
      async () => {
        await closeAll();
        await database.pool.query(
          `INSERT INTO hold (task_id, account_id, quota, seconds, second_quota, created_at) VALUES ('t', $1, 0, 1, 0, now() - interval '600 days')`,
          [accountId],
        );
      },
    ],
    [
      'with a task that is not in the archive',
      async () => {
        await closeAll();
        await aTaskLongOver(database, accountId, { daysAgo: 600 });
      },
    ],
  ])('is kept, one %s', async (_what, spoil) => {
    await nextMonth(500);
    await audited();
    await spoil();
    expect(await keeping().dropLedger(400)).toBeUndefined();
    expect(await partitionsWithEntries()).toContain('ledger_entry_before');
  });

  it('of less than 400 days ago is asked for in vain', async () => {
    await expect(
      database.pool.query(`SELECT drop_ledger(now() - interval '399 days')`),
    ).rejects.toMatchObject({ code: '22023' });
  });

  it('is kept, and said so, where its closing does not agree with its entries', async () => {
    await nextMonth(500);
    await closeAll();
    await audited();
    await inTransactionPastTriggers(database, (client) =>
      client.query('UPDATE ledger_closing SET balance = balance + 1'),
    );
    await expect(keeping().dropLedger(400)).rejects.toThrow(
      `the closings of account ${accountId} do not agree with its entries in ledger_entry_before`,
    );
    expect(await partitionsWithEntries()).toContain('ledger_entry_before');
  });

  it('whose orphaned holds are still there leaves them without a fault', async () => {
    const hold = aHoldOf(accountId, 4);
    await createHolds(database).take(accountId, [hold]);
    await createHolds(database).release(hold.task_id);
    await nextMonth(500);
    await closeAll();
    await audited();
    expect(await keeping().dropLedger(400)).toBe('ledger_entry_before');
    expect(await verify()).toEqual([]);
  });

  it('is not changed afterwards', async () => {
    await nextMonth(500);
    await closeAll();
    await audited();
    await keeping().dropLedger(400);
    for (const change of [
      'UPDATE ledger_carried SET balance = 0',
      'DELETE FROM ledger_carried',
      `UPDATE adjustment_key SET quota = 9`,
    ]) {
      await database.pool.query(
        `INSERT INTO adjustment_key (account_id, key, quota, note) VALUES ($1, 'k', 1, 'x') ON CONFLICT DO NOTHING`,
        [accountId],
      );
      await expect(database.pool.query(change)).rejects.toMatchObject({ code: '23001' });
    }
    expect(await violations(database)).toEqual([]);
  });
});

/** As after a restore into an installation whose audit never ran. */
async function auditAnew(): Promise<void> {
  await database.pool.query(`UPDATE audit_watermark SET positions = '{}'`);
  for (const table of ['mark', 'account', 'lease', 'check']) {
    await database.pool.query(`DELETE FROM audit_${table}`);
  }
}
