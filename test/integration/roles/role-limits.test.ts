import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anAccount, asService, openTestDatabase, type TestDatabase } from '@gateway/testing';
import pg from 'pg';

const services = ['api', 'billing', 'video-worker', 'callback-dispatcher', 'admin'] as const;
type ServiceName = (typeof services)[number];

let test: TestDatabase;
let accountId: string;
const clients = new Map<string, pg.Client>();
beforeAll(async () => {
  test = await openTestDatabase();
  ({ id: accountId } = await anAccount(test.database, { quota: 100 }));
  for (const service of services) {
    const client = new pg.Client({ connectionString: asService(test.url, service) });
    await client.connect();
    clients.set(service, client);
  }
});
afterAll(async () => {
  for (const client of clients.values()) await client.end();
  await test.close();
});

/** The SQLSTATE with which this service is refused, and nothing is left of what it did. */
async function refusal(service: ServiceName, sql: string): Promise<string> {
  const client = clients.get(service)!;
  await client.query('BEGIN');
  try {
    await client.query(sql);
    return 'allowed';
  } catch (error) {
    return String((error as { code?: unknown }).code);
  } finally {
    await client.query('ROLLBACK');
  }
}

const forbidden = '42501';

describe.each(services)('the role of %s', (service) => {
  it.each([
    ['change the ledger', "UPDATE ledger_entry SET note = 'x'"],
    ['delete from the ledger', 'DELETE FROM ledger_entry'],
    ['empty the ledger', 'TRUNCATE ledger_entry'],
    ['switch the guard of the ledger off', 'ALTER TABLE ledger_entry DISABLE TRIGGER ALL'],
    ['drop that guard', 'DROP TRIGGER ledger_entry_append_only ON ledger_entry'],
    [
      'put a guard of its own in its place',
      'CREATE TRIGGER x BEFORE INSERT ON ledger_entry FOR EACH ROW EXECUTE FUNCTION refuse_change()',
    ],
    [
      'replace the function of the guards',
      'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    ],
    ['drop that function', 'DROP FUNCTION refuse_change() CASCADE'],
    ['switch all triggers off for itself', "SET session_replication_role = 'replica'"],
    ['drop a table', 'DROP TABLE usage_record'],
    ['relax a constraint', 'ALTER TABLE balance DROP CONSTRAINT balance_pkey CASCADE'],
    ['add a column', 'ALTER TABLE task ADD COLUMN x text'],
    ['become the owner', 'ALTER TABLE ledger_entry OWNER TO CURRENT_USER'],
    ['rewrite the history of migrations', 'DELETE FROM _prisma_migrations'],
    ['make a role', 'CREATE ROLE gateway_stranger'],
    ['delete a hold', 'DELETE FROM hold'],
    ['delete a balance', 'DELETE FROM balance'],
    ['delete usage', 'DELETE FROM usage_record'],
    ['delete an account', 'DELETE FROM account'],
  ])('may not %s', async (_what, sql) => {
    expect(await refusal(service, sql)).toBe(forbidden);
  });
});

describe('a service', () => {
  const hold = () =>
    `INSERT INTO hold (task_id, account_id, quota, seconds, second_quota) VALUES ('video_x', '${accountId}', 1, 1, 1)`;
  const topUp = () => `UPDATE balance SET balance = balance + 1 WHERE account_id = '${accountId}'`;
  const key = () =>
    `INSERT INTO api_key (id, account_id, name, hash, prefix) VALUES ('key_x', '${accountId}', 'x', '\\x00', 'x')`;

  it.each<[string, () => string, readonly ServiceName[]]>([
    ['takes a hold', hold, ['billing']],
    ['closes one', () => "UPDATE hold SET state = 'closed'", ['billing']],
    ['changes a balance', topUp, ['api', 'billing', 'admin']],
    ['makes a key', key, ['api', 'admin']],
    ['reads keys', () => 'SELECT hash FROM api_key', ['api', 'admin']],
    [
      'reads callback secrets',
      () => 'SELECT secret FROM callback_secret',
      ['api', 'callback-dispatcher', 'admin'],
    ],
    [
      'moves a task',
      () => "UPDATE task SET step = 'poll' WHERE false",
      ['api', 'video-worker', 'admin'],
    ],
    [
      'sends a task elsewhere',
      () => "UPDATE task SET provider = 'x' WHERE false",
      ['api', 'video-worker'],
    ],
    ['removes a task', () => 'DELETE FROM task WHERE false', ['api']],
    ['records a video', () => "UPDATE media SET sha256 = '' WHERE false", ['video-worker']],
    [
      'logs an attempt of a callback',
      () => 'INSERT INTO callback_attempt (task_id) SELECT id FROM task WHERE false',
      ['callback-dispatcher'],
    ],
    [
      'records usage',
      () => 'INSERT INTO usage_record (id) SELECT id FROM task WHERE false',
      ['billing'],
    ],
    [
      'gives a slot away',
      () => 'UPDATE vendor_line SET places_taken = 0 WHERE false',
      ['video-worker'],
    ],
    ['counts live videos anew', () => 'UPDATE account_videos SET active = 0 WHERE false', []],
    [
      'says that a task was removed',
      () => 'UPDATE hold SET task_deleted_at = now() WHERE false',
      ['api', 'billing'],
    ],
  ])('that %s is one of those that may', async (_what, sql, allowed) => {
    const found = await Promise.all(
      services.map(async (service) => [service, await refusal(service, sql())] as const),
    );

    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(
        services.map((service) => [service, allowed.includes(service) ? 'allowed' : forbidden]),
      ),
    );
  });
});
