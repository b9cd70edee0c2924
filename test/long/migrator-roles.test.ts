/** @workers 3: it promises no times. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { asService, openTestDatabase, testRolePasswords } from '@gateway/testing';
import pg from 'pg';
import { openRoles } from '../../packages/local-stack/src/service-roles.ts';

const root = path.resolve(import.meta.dirname, '../..');
const server = process.env['TEST_DATABASE_URL'] ?? '';

interface Ended {
  readonly code: number;
  readonly output: string;
}

function migrate(
  databaseUrl: string,
  { args = [], env = {} }: { args?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [path.join(root, 'prisma/dist/migrate.js'), ...args],
      { env: { ...process.env, ...env, DATABASE_URL: databaseUrl }, timeout: 120_000 },
      (error, stdout, stderr) => {
        if (error?.killed === true) reject(new Error('killed for its time', { cause: error }));
        else resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
      },
    );
  });
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const addressOf = (database: string, user?: string): string => {
  const url = new URL(server);
  url.pathname = `/${database}`;
  if (user !== undefined) [url.username, url.password] = [user, user];
  return url.href;
};

// Whoever opens a test database gives the roles of the services their passwords.
beforeAll(async () => {
  const test = await openTestDatabase();
  await test.close();
});

let name: string;
let owner: string;
beforeEach(() => {
  name = `test_roles_${randomBytes(5).toString('hex')}`;
  owner = `${name}_owner`;
});
afterEach(async () => {
  await query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await query(server, `DROP ROLE IF EXISTS ${owner}`);
});

/** A database of an owner who is no superuser, as on a managed server. */
async function aDatabaseOf(rights: string): Promise<string> {
  await query(server, `CREATE ROLE ${owner} LOGIN PASSWORD '${owner}' ${rights}`);
  await query(server, `CREATE DATABASE ${name} OWNER ${owner}`);
  return addressOf(name, owner);
}

const refusalOf = (url: string, sql: string): Promise<unknown> =>
  query(url, sql).then(
    () => 'allowed',
    (error: unknown) => (error as { code?: unknown }).code,
  );

describe('a migrator that may not create roles', () => {
  it('migrates, grants to the roles that are there, and owns what it made', async () => {
    // Made by the operator, or by another database of this server.
    await query(server, (await migrate(server, { args: ['--roles'] })).output);
    const url = await aDatabaseOf('NOCREATEROLE');

    const { code, output } = await migrate(url, { env: testRolePasswords });

    expect([code, output]).toEqual([0, expect.stringMatching(/\d+ granted, 0 revoked/)]);
    expect(
      await query(url, `SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'`),
    ).toEqual([{ tableowner: owner }]);
    expect(
      await query(
        url,
        `SELECT has_table_privilege('gateway_billing', 'hold', 'INSERT') AS billing, has_table_privilege('gateway_api', 'hold', 'INSERT') AS api`,
      ),
    ).toEqual([{ billing: true, api: false }]);
  });

  it('may switch the guards of the ledger off, and so may whoever uses its address for everything', async () => {
    const url = await aDatabaseOf('NOCREATEROLE');
    await migrate(url);

    expect(await refusalOf(url, 'ALTER TABLE ledger_entry DISABLE TRIGGER USER')).toBe('allowed');
    expect(await refusalOf(url, `SET session_replication_role = 'replica'`)).toBe('42501');
  });
});

describe('the grants of a migrated database', () => {
  it('are given again where one is missing, and taken back where one is too many', async () => {
    const url = await aDatabaseOf('NOCREATEROLE');
    await migrate(url);
    await query(url, 'REVOKE INSERT ON hold FROM gateway_billing');
    await query(url, 'GRANT INSERT ON hold TO gateway_api');
    expect(await migrate(url, { args: ['--check'] })).toEqual({
      code: 3,
      output: '1 grants pending. Nothing was changed.\n',
    });

    expect((await migrate(url)).output).toMatch(/1 granted, 1 revoked/);

    expect(
      await query(
        url,
        `SELECT has_table_privilege('gateway_billing', 'hold', 'INSERT') AS billing, has_table_privilege('gateway_api', 'hold', 'INSERT') AS api`,
      ),
    ).toEqual([{ billing: true, api: false }]);
    expect((await migrate(url)).output).not.toMatch(/granted/);
  });

  it.each(['api', 'billing', 'video-worker', 'callback-dispatcher', 'admin'])(
    'let %s find out that nothing is pending, and migrate nothing',
    async (service) => {
      const url = await aDatabaseOf('NOCREATEROLE');
      await migrate(url);

      expect(await migrate(asService(url, service), { args: ['--check'] })).toEqual({
        code: 0,
        output: 'Nothing is pending.\n',
      });
    },
  );

  it('leave what a newer version granted to that version', async () => {
    const url = await aDatabaseOf('NOCREATEROLE');
    await migrate(url);
    await query(
      url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ('newer', 'x', '20991231000000_newer', now(), 1)`,
    );
    await query(url, 'GRANT INSERT ON exposure TO gateway_billing');

    expect((await migrate(url)).output).not.toMatch(/revoked/);
    expect((await migrate(url, { args: ['--check'] })).code).toBe(0);
  });
});

describe('the migrator of a local database', () => {
  it('takes over what a superuser made for an earlier version, and goes on with it', async () => {
    await query(server, `CREATE DATABASE ${name}`);
    await migrate(addressOf(name));
    const roles = await openRoles(addressOf(name), 'test');

    expect((await migrate(roles.migratorUrl)).code).toBe(0);
    expect(
      await query(
        roles.migratorUrl,
        `SELECT DISTINCT pg_get_userbyid(relowner) AS owner FROM pg_class WHERE relnamespace = 'public'::regnamespace
         UNION SELECT DISTINCT pg_get_userbyid(proowner) FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
      ),
    ).toEqual([{ owner: 'gateway_migrator' }]);
    expect(await refusalOf(roles.migratorUrl, `SET session_replication_role = 'replica'`)).toBe(
      '42501',
    );
  });
});
