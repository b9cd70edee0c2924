import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { openTestDatabase } from '@gateway/testing';
import pg from 'pg';

const folder = path.resolve(import.meta.dirname, '../../../prisma/migrations');
const migrations = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();
const firstOfThese = '20261124010000_archive';
const name = `test_partitions_${process.pid}`;
const server = process.env['TEST_DATABASE_URL'] ?? '';
const urlOf = (database: string): string =>
  Object.assign(new URL(server), { pathname: `/${database}` }).href;

let client: pg.Client;
/** A service of the version before: it prepared its statement before the migration. */
let service: pg.Client;
const insert = {
  name: 'insert-usage',
  text: `INSERT INTO usage_record (id, batch_id, account_id, key_id, request_id, model, provider, upstream_model, dialect, upstream_dialect, stream, outcome, status, input_tokens,
      cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost_nano, started_at, duration_ms)
    VALUES ($1, 'b', 'acct', 'k', 'r', 'm', 'p', 'u', 'chat', 'chat', false, 'succeeded', 200, 1, 0, 0, 1, 0, false, 5, now(), 5) ON CONFLICT (id) DO NOTHING`,
};
const ids = Array.from({ length: 3 }, () => newId('usage'));

beforeAll(async () => {
  // The roles belong to the server.
  await (await openTestDatabase()).close();
  const owner = new pg.Client({ connectionString: server });
  await owner.connect();
  await owner.query(`CREATE DATABASE ${name}`);
  await owner.end();
  client = new pg.Client({ connectionString: urlOf(name) });
  service = new pg.Client({ connectionString: urlOf(name) });
  await client.connect();
  await service.connect();
  const apply = async (of: readonly string[]): Promise<void> => {
    for (const one of of) {
      await client.query(readFileSync(path.join(folder, one, 'migration.sql'), 'utf8'));
    }
  };
  const split = migrations.indexOf(firstOfThese);
  await apply(migrations.slice(0, split));
  await client.query(`INSERT INTO account (id, name) VALUES ('acct', 'a')`);
  await service.query({ ...insert, values: [ids[0]] });
  await client.query(
    `ALTER TABLE usage_record DISABLE TRIGGER USER; UPDATE usage_record SET serial = NULL; ALTER TABLE usage_record ENABLE TRIGGER USER`,
  );
  await client.query(`GRANT INSERT, SELECT ON usage_record TO gateway_billing`);
  await apply(migrations.slice(split));
});
afterAll(async () => {
  await service.end();
  await client.end();
  const owner = new pg.Client({ connectionString: server });
  await owner.connect();
  await owner.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await owner.end();
});

describe('usage of before there were partitions', () => {
  it('is in the first of them, and services of the version before go on', async () => {
    await service.query({ ...insert, values: [ids[0]] });
    await service.query({ ...insert, values: [ids[1]] });

    const { rows } = await client.query(
      'SELECT id, tableoid::regclass::text AS part, serial::int FROM usage_record ORDER BY id',
    );
    expect(rows).toEqual([
      { id: ids[0], part: 'usage_record_before', serial: null },
      { id: ids[1], part: 'usage_record_before', serial: expect.any(Number) },
    ]);
    const granted = await client.query(
      `SELECT has_table_privilege('gateway_billing', 'usage_record', 'INSERT') AS may, has_table_privilege('gateway_billing', 'usage_record_before', 'INSERT') AS past`,
    );
    expect(granted.rows).toEqual([{ may: true, past: false }]);
  });

  it('has every index and rule once, and its own months afterwards', async () => {
    const { rows: indexes } = await client.query(
      `SELECT tablename, count(*)::int AS indexes FROM pg_indexes WHERE tablename LIKE 'usage\\_record%' GROUP BY 1`,
    );
    expect(indexes.every(({ indexes: count }: { indexes: number }) => count === 3)).toBe(true);
    expect(indexes.length).toBeGreaterThanOrEqual(4);
    const next = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 2, 3));
    await service.query({ ...insert, values: [newId('usage', next.getTime())] });
    const { rows } = await client.query(
      'SELECT tableoid::regclass::text AS part FROM usage_record ORDER BY id DESC LIMIT 1',
    );
    expect(rows).toEqual([
      {
        part: `usage_record_y${next.getUTCFullYear()}m${String(next.getUTCMonth() + 1).padStart(2, '0')}`,
      },
    ]);
  });

  it.each(['usage_record', 'usage_record_before', 'usage_record_default'])(
    'is never changed or emptied: %s',
    async (table) => {
      await expect(
        client
          .query(`UPDATE ${table} SET model = 'x'`)
          .then(({ rowCount }) =>
            rowCount === 0 ? Promise.reject(new Error('never changed')) : rowCount,
          ),
      ).rejects.toThrow('never changed');
      await expect(client.query(`TRUNCATE ${table}`)).rejects.toThrow('never changed');
    },
  );
});
