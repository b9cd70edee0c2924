import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { loadMigrations, noFilters, openEngine, sqlFrom } from './engine.ts';
import { applyGrants, compareGrants, ensureRoles, rolesSql } from './grants.ts';

const usage = `Applies the migrations in prisma/migrations to DATABASE_URL, then grants each service's role what that
service writes (docs/deployment.md#database-roles).

  npm run migrate              apply what is pending
  npm run migrate -- --plan    show what is pending, with its SQL, and change nothing
  npm run migrate -- --check   exit with 3 while something is pending, and change nothing
  npm run migrate -- --roles   print the SQL that makes the roles, for a server where this user may not
  npm run migrate -- --draft old.prisma
                               print the SQL that leads from a former schema file to prisma/schema.prisma

Runs without downloading anything. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 something is pending.`;

/** Two migrations at once wait for each other on this advisory lock. */
const migrationLock = 7_404_271;
const lockRetryMs = 200;

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return 2;
  if (options.roles) {
    process.stdout.write(rolesSql);
    return 0;
  }
  const databaseUrl = process.env['DATABASE_URL'];
  if (options.help || databaseUrl === undefined) {
    process.stdout.write(`${usage}\n`);
    return options.help ? 0 : 2;
  }
  if (options.plan) return plan(databaseUrl);
  if (options.check) return check(databaseUrl);
  return options.draft === undefined ? apply(databaseUrl) : draft(databaseUrl, options.draft);
}

function readOptions():
  | { plan: boolean; check: boolean; roles: boolean; draft?: string | undefined; help: boolean }
  | undefined {
  try {
    const flag = { type: 'boolean', default: false } as const;
    return parseArgs({
      options: {
        plan: flag,
        check: flag,
        roles: flag,
        draft: { type: 'string' },
        help: { ...flag, short: 'h' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    return undefined;
  }
}

/** A connection; what keeps it from coming about is told with the setting that says where to. */
async function connect(databaseUrl: string): Promise<pg.Client> {
  try {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'gateway migrate',
    });
    await client.connect();
    return client;
  } catch (error) {
    throw new Error(
      `${sentenceOf(error)}; check DATABASE_URL, and that the server runs and lets this user in`,
      { cause: error },
    );
  }
}

/** What is pending; changes nothing. */
async function readPending(databaseUrl: string): ReturnType<typeof pending> {
  await (await connect(databaseUrl)).end();
  return pending(await openEngine(databaseUrl));
}

interface Pending {
  readonly names: readonly string[];
  readonly problem?: string;
  /** A newer version has migrated this database: its grants are not ours to judge. */
  readonly isBehind?: boolean;
}

async function pending(engine: SchemaEngine): Promise<Pending> {
  const { history, editedMigrationNames, failedMigrationNames } =
    await engine.diagnoseMigrationHistory({
      migrationsList: await loadMigrations(),
      optInToShadowDatabase: false,
      filters: noFilters,
    });
  if (failedMigrationNames.length > 0) {
    return {
      names: [],
      problem: `these migrations failed half-way and need a look: ${failedMigrationNames.join(', ')}`,
    };
  }
  if (editedMigrationNames.length > 0) {
    return {
      names: [],
      problem: `these migrations were changed after they were applied: ${editedMigrationNames.join(', ')}`,
    };
  }
  if (history === null) return { names: [] };
  if (history.diagnostic === 'migrationsDirectoryIsBehind') return { names: [], isBehind: true };
  if (history.diagnostic === 'historiesDiverge') {
    return {
      names: [],
      problem: `the database knows migrations that are not in the folder: ${history.unpersistedMigrationNames.join(', ')}`,
    };
  }
  return { names: history.unappliedMigrationNames };
}

async function plan(databaseUrl: string): Promise<number> {
  const { names, problem } = await readPending(databaseUrl);
  if (problem !== undefined) return fail(problem);
  const { migrationDirectories } = await loadMigrations();
  for (const { path, migrationFile } of migrationDirectories) {
    if (names.includes(path)) process.stdout.write(`-- ${path}\n${migrationFile.content.value}\n`);
  }
  process.stdout.write(
    names.length === 0
      ? 'Nothing is pending.\n'
      : `-- ${names.length} pending. Nothing was changed.\n`,
  );
  return 0;
}

/** For what has to wait for the schema: a newer one than this folder has is good enough. */
async function check(databaseUrl: string): Promise<number> {
  const { names, problem, isBehind } = await readPending(databaseUrl);
  if (problem !== undefined) return fail(problem);
  if (names.length > 0) {
    process.stdout.write(`${names.length} pending. Nothing was changed.\n`);
    return 3;
  }
  const grants = isBehind === true ? 0 : await countMissingGrants(databaseUrl);
  process.stdout.write(
    grants === 0 ? 'Nothing is pending.\n' : `${grants} grants pending. Nothing was changed.\n`,
  );
  return grants === 0 ? 0 : 3;
}

async function countMissingGrants(databaseUrl: string): Promise<number> {
  const client = await connect(databaseUrl);
  try {
    return (await compareGrants(client)).missing.length;
  } finally {
    await client.end();
  }
}

/** Says what was done: services with a role of their own wait for it. */
async function grant(client: pg.Client): Promise<void> {
  await ensureRoles(client, process.env);
  const difference = await compareGrants(client);
  const { missing, surplus, absentRoles } = difference;
  await applyGrants(client, difference);
  if (missing.length + surplus.length > 0) {
    process.stdout.write(`${missing.length} granted, ${surplus.length} revoked.\n`);
  }
  if (absentRoles.length > 0) {
    process.stdout.write(
      `No role of their own for the services: ${absentRoles.join(', ')}. This user may not create them; npm run migrate -- --roles prints the SQL.\n`,
    );
  }
}

/**
 * Asks for the lock until it is free. A statement that waits for it would be a transaction under
 * way, and building an index concurrently waits for those: the two would wait for each other.
 */
async function takeTurn(lock: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await lock.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS taken',
      [migrationLock],
    );
    if (rows[0]?.taken === true) return;
    await setTimeout(lockRetryMs);
  }
}

async function apply(databaseUrl: string): Promise<number> {
  const lock = await connect(databaseUrl);
  try {
    await takeTurn(lock);
    let refusal: unknown;
    const engine = await openEngine(databaseUrl, (error) => {
      refusal = error;
    });
    const { problem, isBehind } = await pending(engine);
    if (problem !== undefined) return fail(problem);
    const { appliedMigrationNames } = await engine
      .applyMigrations({ migrationsList: await loadMigrations(), filters: noFilters })
      .catch((error: unknown) => {
        throw refusal ?? error;
      });
    for (const name of appliedMigrationNames) process.stdout.write(`applied ${name}\n`);
    if (isBehind !== true) await grant(lock);
    process.stdout.write(
      appliedMigrationNames.length === 0
        ? 'The schema is up to date.\n'
        : `${appliedMigrationNames.length} applied.\n`,
    );
    return 0;
  } finally {
    await lock.end();
  }
}

async function draft(databaseUrl: string, formerSchema: string): Promise<number> {
  const engine = await openEngine(databaseUrl);
  process.stdout.write(await sqlFrom(engine, await readFile(formerSchema, 'utf8')));
  return 0;
}

/**
 * The first line of what went wrong: the engine adds traces of its own, and a refused connection
 * comes as several errors.
 */
function sentenceOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return String((first as { message?: unknown }).message ?? first).split('\n')[0] ?? '';
}

function fail(problem: string): number {
  process.stderr.write(`The database cannot be migrated: ${problem}\n`);
  return 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => process.exit(fail(sentenceOf(error))),
);
