import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createDataKeeping,
  createLedger,
  createMetering,
  createUsageReads,
  type Database,
} from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import pg from 'pg';
import { morePools, violations } from './books.ts';
import { aTaskLongOver } from './long-ago.ts';
import { untilAudited } from './until-audited.ts';
import { aSavedBatch, aUsageRecord, units } from './usage.ts';

let test: TestDatabase;
let database: Database;
let accountId: string;
const days = 86_400_000;
/** The middle of the month so many months ago. */
const middleOf = (monthsAgo: number): Date => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 15, 12));
};

beforeEach(async () => {
  test = await openTestDatabase();
  ({ database } = test);
  accountId = (await anAccount(database, { quota: 1_000 })).id;
  await asIfMadeLongAgo();
});
afterEach(() => test.close());

/** The partitions of an installation that is older than a year: its first one ended long ago. */
async function asIfMadeLongAgo(): Promise<void> {
  const first = `date_trunc('month', now() AT TIME ZONE 'UTC') - interval '8 months'`;
  await database.pool.query(`DO $$ BEGIN
    ALTER TABLE usage_record DETACH PARTITION usage_record_before;
    EXECUTE format('ALTER TABLE usage_record ATTACH PARTITION usage_record_before FOR VALUES FROM (MINVALUE) TO (%L)', first_id('usage', (${first}) AT TIME ZONE 'UTC'));
    UPDATE data_partition SET until_at = (${first}) AT TIME ZONE 'UTC' WHERE name = 'usage_record_before';
    FOR month IN 0..9 LOOP
      PERFORM make_partition('usage_record', (${first} + month * interval '1 month') AT TIME ZONE 'UTC');
    END LOOP;
  END $$`);
}

/** Records of the middle of that month, each for 1.5 units, taken into the books. */
async function recorded(monthsAgo: number, count = 2): Promise<void> {
  const at = middleOf(monthsAgo);
  const records = Array.from({ length: count }, (_each, index) =>
    aUsageRecord(accountId, {
      id: newId('usage', at.getTime() + index),
      started_at: at.toISOString(),
      cost_nano: units(1.5),
      estimated: index === 0,
      outcome: index === 0 ? 'aborted' : 'succeeded',
      cache_write_1h_tokens: 2,
      server_tool_uses: 1,
    }),
  );
  const { id } = await aSavedBatch(database, records);
  await createMetering(database).apply(id);
}

const keeping = (one: Database = database) => createDataKeeping(one);
const usage = () =>
  createUsageReads(database).byDay({ accountId, from: '2020-01-01', to: '2035-01-01' });
const singleRecords = async (): Promise<number | undefined> =>
  (await database.pool.query<{ count: number }>('SELECT count(*) AS count FROM usage_record'))
    .rows[0]?.count;
const audited = () => untilAudited(database, { graceSeconds: 0 });

describe('usage that is rolled up', () => {
  it('is the same for its account, and in the books', async () => {
    await recorded(6);
    await recorded(5);
    await recorded(0);
    await aTaskLongOver(database, accountId);
    await audited();
    const before = await usage();
    expect(before).toHaveLength(4);

    expect(await keeping().rollUpUsage(90)).toBe('usage_record_before');
    expect(await keeping().rollUpUsage(90)).toMatch(/^usage_record_y/);
    while ((await keeping().rollUpUsage(90)) !== undefined);

    expect(await usage()).toEqual(before);
    expect(await singleRecords()).toBe(2);
    expect(await violations(database)).toEqual([]);
    await audited();
    const [day] = before;
    await expect(
      createUsageReads(database).byDay({
        accountId,
        from: day!.day,
        to: day!.day,
        keyId: day!.keyId,
      }),
    ).resolves.toEqual([day]);
    await expect(
      createUsageReads(database).byDay({ accountId, from: day!.day, to: day!.day, model: 'other' }),
    ).resolves.toEqual([]);
  });

  it('is in the books of an audit that begins anew', async () => {
    await recorded(6);
    await audited();
    while ((await keeping().rollUpUsage(90)) !== undefined);
    await database.pool.query(
      `UPDATE audit_watermark SET positions = '{}', claimed_until = '-infinity'`,
    );
    for (const table of ['mark', 'account', 'check']) {
      await database.pool.query(`DELETE FROM audit_${table}`);
    }

    await audited();
    const { rows } = await database.pool.query(
      'SELECT sum(text_cost_nano)::text AS cost FROM audit_account',
    );
    expect(rows).toEqual([{ cost: units(3) }]);
  });

  it('is counted once: a record of that time that comes later is added to its day', async () => {
    await recorded(6);
    await audited();
    while ((await keeping().rollUpUsage(90)) !== undefined);
    await recorded(6, 1);

    expect(await usage()).toEqual([
      expect.objectContaining({ requests: 3, quota: 4.5, inputTokens: 180 }),
    ]);
    await expect(keeping().partitions()).resolves.toContainEqual(
      expect.objectContaining({ table: 'usage_record', hasStrays: true }),
    );
    await audited();
    expect(await violations(database)).toEqual([]);
  });

  it('stays as it is while the audit has not seen it', async () => {
    await recorded(6);
    expect(await keeping().rollUpUsage(90)).toBeUndefined();
    await audited();
    await recorded(6, 1);

    // The first partition is empty.
    expect(await keeping().rollUpUsage(90)).toBe('usage_record_before');
    while ((await keeping().rollUpUsage(90)) !== undefined);
    expect(await singleRecords()).toBe(3);
    await audited();
    while ((await keeping().rollUpUsage(90)) !== undefined);
    expect(await singleRecords()).toBe(0);
  });

  it('is kept for as long as was asked for, to the day', async () => {
    await recorded(3);
    await audited();
    while ((await keeping().rollUpUsage(200)) !== undefined);
    expect(await singleRecords()).toBe(2);

    const end = middleOf(2);
    const over = Math.floor(
      (Date.now() - Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), 1)) / days,
    );
    while ((await keeping().rollUpUsage(over + 1)) !== undefined);
    expect(await singleRecords()).toBe(2);
    while ((await keeping().rollUpUsage(over)) !== undefined);
    expect(await singleRecords()).toBe(0);
  });

  it('is rolled up or not: a session that ends between the sums and its end has done nothing', async () => {
    await recorded(6);
    await audited();
    const before = await usage();
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    await client.query('BEGIN');
    for (let month = 0; month < 4; month += 1) {
      await client.query(`SELECT roll_up_usage(now() - interval '90 days')`);
    }
    const { rows } = await client.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM usage_day',
    );
    expect(rows).toEqual([{ count: 1 }]);
    // Another replica waits for nothing.
    expect(await keeping().rollUpUsage(90)).toBeUndefined();
    await client.end();

    expect(await usage()).toEqual(before);
    expect(await singleRecords()).toBe(2);
    while ((await keeping().rollUpUsage(90)) !== undefined);
    expect(await usage()).toEqual(before);
  });

  it('is rolled up once by two replicas at once, while records are taken', async () => {
    for (const month of [7, 6, 5, 4]) await recorded(month, 3);
    await audited();
    const before = await usage();
    const { databases, close } = morePools(test.url, 2);
    const work = async (one: Database): Promise<void> => {
      for (let idle = 0; idle < 3;) {
        idle = (await keeping(one).rollUpUsage(90)) === undefined ? idle + 1 : 0;
      }
    };
    const traffic = Array.from({ length: 5 }, () => recorded(0, 1));
    await Promise.all([...databases.map(work), ...traffic]);
    await work(database);
    await close();

    expect((await usage()).slice(0, 4)).toEqual(before);
    expect(await singleRecords()).toBe(5);
    await audited();
    expect(await violations(database)).toEqual([]);
  });

  it('costs what it did: the audit finds sums that were changed', async () => {
    await recorded(6);
    await audited();
    while ((await keeping().rollUpUsage(90)) !== undefined);
    await database.pool.query('UPDATE usage_day SET cost_nano = cost_nano + 1');

    expect(await createLedger(database).verify({ graceSeconds: 60 })).toEqual([
      expect.objectContaining({ invariant: 'text_is_charged_as_it_cost', subject: accountId }),
    ]);
  });
});
