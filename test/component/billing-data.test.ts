import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTaskReads } from '@gateway/store';
import { anAccount, eventually, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { violations } from '../integration/store/books.ts';
import { aTaskLongOver } from '../integration/store/long-ago.ts';
import { startBilling } from './billing-service.ts';

let test: TestDatabase;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  accountId = (await anAccount(test.database, { quota: 1_000 })).id;
});
afterAll(() => test.close());

const count = async (table: string): Promise<number | undefined> =>
  (await test.database.pool.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))
    .rows[0]?.count;

describe('billing, with the rights of its role', () => {
  it('moves nothing and drops nothing unless it was told to, and makes the partitions ahead', async () => {
    await aTaskLongOver(test.database, accountId, { daysAgo: 900 });
    await test.database.pool.query(
      `UPDATE data_partition SET dropped_at = now() WHERE name = (SELECT max(name) FROM data_partition WHERE parent = 'usage_record')`,
    );
    await test.database.pool.query(
      `DO $$ BEGIN EXECUTE 'DROP TABLE ' || (SELECT max(name) FROM data_partition WHERE parent = 'usage_record'); END $$`,
    );
    const billing = await startBilling(test, { DATA_SWEEP_MS: 100 });
    const now = new Date();
    const until = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 4, 1) / 1_000;
    await eventually(async () => {
      for (const table of ['archived_task', 'ledger_entry', 'usage_record']) {
        await expect(
          billing.metric('gateway_partitions_until_timestamp_seconds', { table }),
        ).resolves.toBe(until);
        await expect(billing.metric('gateway_partition_strays', { table })).resolves.toBe(0);
      }
    });
    await billing.stop();

    expect(await count('task')).toBe(1);
    expect(await count('archived_task')).toBe(0);
  });

  it('archives, closes and drops what the settings say, two replicas of it, and the books stay right', async () => {
    const kept = await aTaskLongOver(test.database, accountId, { daysAgo: 100 });
    await aTaskLongOver(test.database, accountId, { daysAgo: 20 });
    const settings = { DATA_SWEEP_MS: 100, ARCHIVE_AFTER_DAYS: 30, ARCHIVE_KEEP_DAYS: 365 };
    const replicas = [await startBilling(test, settings), await startBilling(test, settings)];
    const sumOf = async (metric: string): Promise<number> =>
      (await Promise.all(replicas.map((one) => one.metric(metric)))).reduce<number>(
        (sum, value) => sum + (value ?? 0),
        0,
      );
    await eventually(async () => {
      expect(await sumOf('gateway_archived_tasks_total')).toBe(2);
      expect(await sumOf('gateway_partitions_dropped_total')).toBe(1);
    });
    for (const one of replicas) await one.stop();

    expect(replicas.flatMap(({ lines }) => lines.filter(({ level }) => level === 'error'))).toEqual(
      [],
    );
    expect([await count('task'), await count('archived_task'), await count('usage_day')]).toEqual([
      1, 1, 1,
    ]);
    expect(await createTaskReads(test.database).findOrArchived(kept, accountId)).toMatchObject({
      id: kept,
    });
    expect(await violations(test.database)).toEqual([]);
  });
});
