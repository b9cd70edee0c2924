import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createDatabase, type Database } from '@gateway/store';
import pg from 'pg';

const root = path.resolve(import.meta.dirname, '../../..');
const migrations = path.join(root, 'prisma/migrations');

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  close(): Promise<void>;
}

/**
 * A database of its own with the whole schema, cloned from a template that the first caller
 * migrates.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  const server = required('TEST_DATABASE_URL');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = await templateOf(server);
  // Copied as files: half the time of copying page by page through the log.
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = urlOf(server, name);
  const database = createDatabase({
    url,
    applicationName: 'test',
    poolSize: 10,
    onError: () => undefined,
  });
  return {
    url,
    database,
    async close() {
      await database.part.stop();
      await administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** The url of the test Redis, and a key prefix that nobody else uses. */
export function testRedis(): { url: string; prefix: string } {
  return { url: required('TEST_REDIS_URL'), prefix: `test-${randomBytes(6).toString('hex')}` };
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(
      `${name} is not set: run the tests with npm test, which brings the databases up`,
    );
  }
  return value;
}

/** Of each server, looked for once: a process opens dozens of databases. */
const templates = new Map<string, Promise<string>>();

function templateOf(server: string): Promise<string> {
  const known =
    templates.get(server) ?? withClient(server, (client) => ensureTemplate(client, server));
  templates.set(server, known);
  known.catch(() => templates.delete(server));
  return known;
}

async function ensureTemplate(client: pg.Client, server: string): Promise<string> {
  const name = `template_${fingerprint()}`;
  const isThere = async (): Promise<boolean> =>
    (await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])).rowCount === 1;
  if (await isThere()) return name;
  // One makes it, and whoever waited finds it.
  await client.query('SELECT pg_advisory_lock(7404272)');
  if (await isThere()) return name;
  const draft = `${name}_draft`;
  await client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${draft}`);
  await promisify(execFile)(process.execPath, [path.join(root, 'prisma/dist/migrate.js')], {
    env: { ...process.env, ...testRolePasswords, DATABASE_URL: urlOf(server, draft) },
  });
  await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
  return name;
}

/** Changes with every migration and grant, so that a stale template is never used. */
function fingerprint(): string {
  const hash = createHash('sha256');
  hash.update(readFileSync(path.join(root, 'prisma/roles.ts')));
  const names = readdirSync(migrations, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  for (const name of names) {
    hash.update(name).update(readFileSync(path.join(migrations, name, 'migration.sql')));
  }
  return hash.digest('hex').slice(0, 12);
}

const roleOf = (service: string): string => `gateway_${service.replaceAll('-', '_')}`;

/** The setting of the migrator for each role, and the password that tests use. */
export const testRolePasswords: Readonly<Record<string, string>> = Object.fromEntries(
  ['api', 'billing', 'video-worker', 'callback-dispatcher', 'admin']
    .map(roleOf)
    .map((role) => [`${role.toUpperCase()}_PASSWORD`, `${role}-test`]),
);

/**
 * This database as a service sees it, with the rights of its role and no other. A second replica
 * (`api-2`) has the role of the first.
 */
export function asService(databaseUrl: string, service: string): string {
  const role = roleOf(service.replace(/-\d+$/, ''));
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = `${role}-test`;
  return url.href;
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

let administrator: { readonly server: string; readonly client: Promise<pg.Client> } | undefined;

let last: Promise<unknown> = Promise.resolve();

/** What concerns a database as a whole, one after another on a connection that stays. */
function administer(server: string, statement: string): Promise<void> {
  const turn = last.then(async () => {
    if (administrator?.server !== server) {
      administrator = { server, client: connectToStay(server) };
    }
    await (await administrator.client).query(statement);
  });
  last = turn.catch(() => undefined);
  return turn;
}

/** It keeps no process alive, and the next one takes its place when it breaks. */
async function connectToStay(server: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server });
  const forget = (): void => {
    administrator = undefined;
  };
  client.on('error', forget);
  await client.connect().catch((error: unknown) => {
    forget();
    throw error;
  });
  // It has the method, and its types do not.
  (client as pg.Client & { unref(): void }).unref();
  return client;
}

async function withClient<Result>(
  url: string,
  body: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}
