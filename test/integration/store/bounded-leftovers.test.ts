import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createDataKeeping,
  createLedger,
  createMarginReads,
  createTaskEndings,
  createTaskMoves,
  createTaskReads,
  createUsageReads,
  type Database,
} from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { violations } from './books.ts';
import { aTaskLongOver } from './long-ago.ts';
import { inTransactionPastTriggers } from './past-triggers.ts';
import { untilAudited } from './until-audited.ts';

let test: TestDatabase;
let database: Database;
let accountId: string;
beforeEach(async () => {
  test = await openTestDatabase();
  ({ database } = test);
  accountId = (await anAccount(database)).id;
});
afterEach(() => test.close());

const keeping = () => createDataKeeping(database);
const dayOf = (daysAgo: number): string =>
  new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);

const audited = () => untilAudited(database);

/** Over, paid for at its vendor, and deleted by its customer, so many days ago. */
async function aDeletedTask(daysAgo: number): Promise<string> {
  const id = await aTaskLongOver(database, accountId, { daysAgo });
  await database.pool.query(
    `UPDATE task_try SET vendor_cost = 0.35, vendor_currency = 'USD', cost_source = 'calculated' WHERE task_id = $1`,
    [id],
  );
  await createTaskEndings(database).markDeleted(id, accountId);
  await createTaskEndings(database).forget(id);
  await inTransactionPastTriggers(database, (client) =>
    client.query(
      'UPDATE deleted_task SET deleted_at = completed_at + make_interval(hours => 1) WHERE task_id = $1',
      [id],
    ),
  );
  return id;
}

const money = async () => ({
  usage: await createUsageReads(database).byDay({ accountId, from: dayOf(500), to: dayOf(0) }),
  margin: (await createMarginReads(database).ofPeriod({ from: dayOf(500), to: dayOf(0) })).rows,
  exposures: await createLedger(database).countExposures(),
  balance: await createLedger(database).balanceOf(accountId),
});
const count = async (table: string): Promise<number> =>
  Number(
    (await database.pool.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n,
  );

describe('a task that its customer deleted', () => {
  it('goes into the archive with its hold, and what it cost and brought stays', async () => {
    const id = await aDeletedTask(200);
    await audited();
    const before = await money();
    expect(before.margin).toMatchObject([
      { videos: 1, revenueQuota: 30, money: [{ currency: 'USD', cost: '0.350000000000' }] },
    ]);

    expect(await keeping().archiveDeletedTasks({ days: 100, limit: 10 })).toBe(1);

    expect([await count('deleted_task'), await count('hold')]).toEqual([0, 0]);
    expect(await money()).toEqual(before);
    expect(await createTaskReads(database).findOrArchived(id, accountId)).toBeUndefined();
    expect(await violations(database)).toEqual([]);
    await audited();
    expect(await keeping().archiveDeletedTasks({ days: 100, limit: 10 })).toBe(0);
    expect(await keeping().dropArchive(100)).toMatch(/^archived_task_y/);
    expect((await money()).usage).toEqual(before.usage);
    expect(await violations(database)).toEqual([]);
  });

  it.each([
    ['that nobody has audited yet', `UPDATE deleted_task SET serial = 1000`],
    ['whose bill is not what was charged', `UPDATE deleted_task SET billed_quota = 29`],
    ['whose charge is missing', `DELETE FROM ledger_entry WHERE kind = 'charge'`],
    ['that was deleted a moment ago', `UPDATE deleted_task SET deleted_at = now()`],
  ])('stays, one %s', async (_what, change) => {
    await aDeletedTask(200);
    await audited();
    await inTransactionPastTriggers(database, (client) => client.query(change));

    expect(await keeping().archiveDeletedTasks({ days: 100, limit: 10 })).toBe(0);
    expect([await count('deleted_task'), await count('hold')]).toEqual([1, 1]);
  });

  it('keeps its bill from everybody else', async () => {
    await aDeletedTask(200);
    for (const change of ['DELETE FROM deleted_task', 'UPDATE deleted_task SET billed_quota = 0']) {
      await expect(database.pool.query(change)).rejects.toMatchObject({ code: '23001' });
    }
  });
});

describe('an exposure', () => {
  /** Of a task, noted so many days ago. */
  const exposed = async (taskId: string, daysAgo: number): Promise<void> => {
    await createTaskMoves(database).recordExposure({
      taskId,
      kind: 'orphan',
      provider: 'ark',
      vendorTaskId: newId('usage'),
      detail: 'found later',
    });
    await database.pool.query(
      `UPDATE exposure SET created_at = now() - make_interval(days => $2), vendor_cost = 1.5, vendor_currency = 'USD', cost_source = 'calculated' WHERE task_id = $1`,
      [taskId, daysAgo],
    );
  };

  it('becomes a sum by day once its task is gone, and stays in counts and margins', async () => {
    const [gone, alsoGone] = [newId('task'), newId('task')];
    await exposed(gone, 200);
    await exposed(alsoGone, 200);
    await exposed(newId('task'), 20);
    const kept = await aTaskLongOver(database, accountId, { daysAgo: 200 });
    await exposed(kept, 200);
    await audited();
    const before = await money();

    expect(await keeping().rollUpExposures({ days: 100, limit: 10 })).toBe(2);

    expect(await count('exposure')).toBe(2);
    expect(await money()).toEqual({
      ...before,
      // Only single ones say which model it was.
      margin: expect.arrayContaining([
        expect.objectContaining({
          day: dayOf(200),
          provider: 'ark',
          money: [expect.objectContaining({ exposure: '3.000000000000' })],
        }),
      ]),
    });
    expect(await keeping().rollUpExposures({ days: 100, limit: 10 })).toBe(0);
    await audited();
  });

  it('stays while its task is in the archive, whose tries take their cost from it', async () => {
    const taskId = await aTaskLongOver(database, accountId, { daysAgo: 200 });
    await exposed(taskId, 200);
    await audited();
    await keeping().archiveTasks({ days: 100, limit: 10 });
    const before = await money();

    expect(await keeping().rollUpExposures({ days: 100, limit: 10 })).toBe(0);
    expect(await money()).toEqual(before);
    await keeping().dropArchive(100);
    expect(await keeping().rollUpExposures({ days: 100, limit: 10 })).toBe(1);
    expect((await money()).exposures).toEqual(before.exposures);
  });
});

describe('what text cost and nobody paid', () => {
  const missing = (batch: string, quota: number, isDebt: boolean, daysAgo: number) =>
    inTransactionPastTriggers(database, async (client) => {
      const at = `date_trunc('month', now()) - make_interval(days => $5)`;
      await client.query(
        `INSERT INTO usage_uncollected (batch_id, account_id, quota, is_debt, created_at) VALUES ($1, $2, $3, $4, ${at})`,
        [batch, accountId, quota, isDebt, daysAgo],
      );
      await client.query(
        `INSERT INTO usage_record (id, batch_id, account_id, key_id, request_id, model, provider, upstream_model, dialect, upstream_dialect, stream, outcome, status, input_tokens,
           cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost_nano, started_at, duration_ms)
         VALUES ($1, $2, $3, 'key', 'r', 'm', 'p', 'u', 'chat', 'chat', false, 'succeeded', 200, 1, 0, 0, 1, 0, false, $4::bigint * 1000000000, now(), 5)`,
        [newId('usage'), batch, accountId, quota],
      );
      if (!isDebt) return;
      await client.query('UPDATE balance SET debt_quota = debt_quota + $2 WHERE account_id = $1', [
        accountId,
        quota,
      ]);
    });
  const rows = async () =>
    (
      await database.pool.query(
        'SELECT batch_id, quota::int AS quota, is_debt, serial FROM usage_uncollected WHERE account_id = $1 ORDER BY quota',
        [accountId],
      )
    ).rows as unknown[];

  it('becomes one row for each month, account and kind; books and debts stay as they are', async () => {
    await missing('b1', 3, true, 95);
    await missing('b2', 4, true, 95);
    await missing('b3', 100, false, 95);
    await missing('b4', 1000, true, 1);
    await audited();
    expect(await violations(database)).toEqual([]);

    expect(await keeping().sumUpUncollected({ days: 60, limit: 10 })).toBe(3);

    const month: unknown = expect.stringMatching(/^month_\d{4}_\d{2}_debt$/);
    expect(await rows()).toEqual([
      { batch_id: month, quota: 7, is_debt: true, serial: null },
      {
        batch_id: expect.stringMatching(/^month_\d{4}_\d{2}$/),
        quota: 100,
        is_debt: false,
        serial: null,
      },
      { batch_id: 'b4', quota: 1000, is_debt: true, serial: expect.any(Number) },
    ]);
    expect(await violations(database)).toEqual([]);
    await audited();
    // A late one of the same month joins the sum.
    await missing('b5', 2, true, 95);
    await audited();
    expect(await keeping().sumUpUncollected({ days: 60, limit: 10 })).toBe(1);
    expect(await rows()).toContainEqual({ batch_id: month, quota: 9, is_debt: true, serial: null });
    await audited();
    expect(await violations(database)).toEqual([]);
  });

  it('is in the books of an audit that begins anew', async () => {
    await missing('b1', 3, true, 95);
    await missing('b2', 4, false, 95);
    await audited();
    await keeping().sumUpUncollected({ days: 60, limit: 10 });
    await database.pool.query(`UPDATE audit_watermark SET positions = '{}'`);
    for (const table of ['mark', 'account', 'check']) {
      await database.pool.query(`DELETE FROM audit_${table}`);
    }

    await audited();
  });

  it('is summed up by nobody else, and not before it was audited', async () => {
    await missing('b1', 3, true, 95);
    expect(await keeping().sumUpUncollected({ days: 60, limit: 10 })).toBe(0);
    await audited();
    await database.pool.query(`SELECT sum_up_uncollected(now() - interval '2000 days', 1)`);
    for (const change of [
      'DELETE FROM usage_uncollected',
      'UPDATE usage_uncollected SET quota = 1',
    ]) {
      await expect(database.pool.query(change)).rejects.toMatchObject({ code: '23001' });
    }
  });
});
