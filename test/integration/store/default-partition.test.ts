import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { lowestIdAt } from '@gateway/domain';
import { createDatabase, createDataKeeping, createUsageReads, type Database } from '@gateway/store';
import { anAccount, asService, openTestDatabase } from '@gateway/testing';
import pg from 'pg';
import { applyGrants, compareGrants } from '../../../prisma/grants.ts';

/** What docs/data.md tells the owner of the tables to type. */
const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/data.md'), 'utf8');
const recipe = (table: string, month: string): string => {
  const sql = /```sql\n(BEGIN;[^`]+COMMIT;)\n```/.exec(page)?.[1] ?? '';
  return sql.replaceAll('archived_task', table).replace('2027-01-01', month);
};

/** Of a month that nobody made a partition for, and nobody will. */
const stray = new Date('2019-05-17T12:00:00Z');

const insert = {
  archived_task: (database: Database, accountId: string) =>
    database.pool.query(
      `INSERT INTO archived_task (task_id, account_id, key_id, model, status, created_at, completed_at, billed_seconds, billed_quota, held_quota, charged_quota)
       VALUES ($1, $2, 'key', 'm', 'failed', $3, $3, 0, 0, 0, 0)`,
      [`${lowestIdAt('task', stray.getTime())}${'0'.repeat(16)}`, accountId, stray],
    ),
  usage_record: (database: Database, accountId: string) =>
    database.pool.query(
      `INSERT INTO usage_record (id, batch_id, account_id, key_id, request_id, model, provider, upstream_model, dialect, upstream_dialect, stream, outcome, status, input_tokens,
         cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost_nano, started_at, duration_ms, serial)
       VALUES ($1, 'b', $2, 'key', 'r', 'm', 'p', 'u', 'chat', 'chat', false, 'succeeded', 200, 1, 0, 0, 1, 0, false, 0, $3, 5, 0)`,
      [`${lowestIdAt('usage', stray.getTime())}${'0'.repeat(16)}`, accountId, stray],
    ),
} as const;

it.each(Object.entries(insert))(
  'gives strays of %s their partition',
  async (table, insertStray) => {
    const test = await openTestDatabase();
    const { database } = test;
    const { id } = await anAccount(database);
    const owner = new pg.Client({ connectionString: test.url });
    await owner.connect();
    const partitionsOf = async (): Promise<string[]> => {
      const { rows } = await owner.query<{ name: string }>(
        `SELECT tableoid::regclass::text AS name FROM ${table}`,
      );
      return rows.map(({ name }) => name);
    };
    // Its month was there, and was dropped, before the stray came.
    await owner.query(`SELECT make_partition($1, '2019-05-01T00:00:00Z')`, [table]);
    const covering = await owner.query<{ name: string }>(
      'UPDATE data_partition SET dropped_at = now() WHERE parent = $1 AND from_at <= $2 AND until_at > $2 RETURNING name',
      [table, stray],
    );
    await owner.query(`DROP TABLE ${covering.rows[0]?.name ?? ''}`);
    await insertStray(database, id);
    const strayed = async (of: Database): Promise<boolean | undefined> =>
      (await createDataKeeping(of).partitions()).find((state) => state.table === table)?.hasStrays;
    expect([await partitionsOf(), await strayed(database)]).toEqual([[`${table}_default`], true]);

    await owner.query(recipe(table, '2019-05-01'));
    await applyGrants(owner, await compareGrants(owner));

    expect(await partitionsOf()).toEqual([`${table}_y2019m05`]);
    // As a service reads it, without the owner's rights.
    const billing = createDatabase({
      url: asService(test.url, 'billing'),
      applicationName: 'strays',
      poolSize: 1,
      onError: () => undefined,
    });
    expect(await strayed(billing)).toBe(false);
    await billing.part.stop();
    for (const emptied of [`${table}_default`, `${table}_y2019m05`, table]) {
      await expect(owner.query(`TRUNCATE ${emptied}`)).rejects.toMatchObject({ code: '23001' });
    }
    await expect(owner.query(`DELETE FROM ${table}`)).rejects.toMatchObject({ code: '23001' });
    await owner.query(`UPDATE audit_watermark SET positions = '{"usage_record": 9}'`);
    const drop = table === 'usage_record' ? 'roll_up_usage' : 'drop_archive';
    const dropped = await owner.query(`SELECT ${drop}(now() - interval '1000 days') AS name`);
    expect(dropped.rows).toEqual([{ name: `${table}_y2019m05` }]);
    expect(
      await createUsageReads(database).byDay({
        accountId: id,
        from: '2019-05-01',
        to: '2019-05-31',
      }),
    ).toHaveLength(1);
    await owner.end();
    await test.close();
  },
);
