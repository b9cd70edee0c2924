import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import pg from 'pg';

/** Of the project. */
export const root = path.resolve(import.meta.dirname, '../..');
/** Where the databases of the tests are. */
export const server = process.env['TEST_DATABASE_URL'] ?? '';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of the project's migrations that the test may change. */
export interface Copy {
  readonly project: string;
  add(migration: string, sql: string): Promise<void>;
  write(migration: string, sql: string): Promise<void>;
  edit(): Promise<void>;
}

export interface MigrateStage {
  /** Of the database of this test. */
  url(): string;
  tables(): Promise<string[]>;
  history(): Promise<{ migration_name: string; finished: boolean }[]>;
  aCopy(): Promise<Copy>;
}

/** Runs the migration program of this folder as a user does. */
export function migrate(
  databaseUrl: string | undefined,
  { args = [] as readonly string[], project = root } = {},
): Promise<Ended> {
  const env = { ...process.env };
  delete env['DATABASE_URL'];
  delete env['DIRECT_DATABASE_URL'];
  if (databaseUrl !== undefined) env['DATABASE_URL'] = databaseUrl;
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [path.join(project, 'prisma/dist/migrate.js'), ...args],
      { env, timeout: 120_000 },
      (error, stdout, stderr) => {
        if (error?.killed === true) reject(new Error('killed for its time', { cause: error }));
        else resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

export async function query<Row extends pg.QueryResultRow>(
  databaseUrl: string,
  sql: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A database of its own, on the server of the tests, for each test of a file. */
export function openStage(): MigrateStage {
  let databases = 0;
  let url = '';
  let name = '';
  const folders: string[] = [];
  beforeEach(async () => {
    databases += 1;
    name = `test_migrate_${process.pid}_${databases}`;
    await query(server, `CREATE DATABASE ${name}`);
    url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  });
  afterEach(async () => {
    await query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  const history = (): ReturnType<MigrateStage['history']> =>
    query(
      url,
      'SELECT migration_name, finished_at IS NOT NULL AS finished FROM _prisma_migrations ORDER BY migration_name',
    );
  return {
    url: () => url,
    history,
    async tables() {
      const rows = await query<{ name: string }>(
        url,
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1`,
      );
      return rows.map((row) => row.name);
    },
    async aCopy() {
      const project = await mkdtemp(path.join(tmpdir(), 'migrate-'));
      folders.push(project);
      await cp(path.join(root, 'prisma'), path.join(project, 'prisma'), { recursive: true });
      await cp(path.join(root, 'package.json'), path.join(project, 'package.json'));
      await symlink(path.join(root, 'node_modules'), path.join(project, 'node_modules'));
      return copyIn(project, history);
    },
  };
}

function copyIn(project: string, history: MigrateStage['history']): Copy {
  const fileOf = (migration: string): string =>
    path.join(project, 'prisma/migrations', migration, 'migration.sql');
  return {
    project,
    async add(migration, sql) {
      await mkdir(path.dirname(fileOf(migration)));
      await writeFile(fileOf(migration), sql);
    },
    write: (migration, sql) => writeFile(fileOf(migration), sql),
    async edit() {
      const [first] = await history();
      const file = fileOf(first?.migration_name ?? '');
      await writeFile(file, `${await readFile(file, 'utf8')}\n-- a second thought\n`);
    },
  };
}
