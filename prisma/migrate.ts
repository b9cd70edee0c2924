import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { loadMigrations, noFilters, openEngine, sqlFrom } from './engine.ts';

const usage = `Applies the migrations in prisma/migrations to DATABASE_URL.

  npm run migrate              apply what is pending
  npm run migrate -- --plan    show what is pending, with its SQL, and change nothing
  npm run migrate -- --check   exit with 3 while something is pending, and change nothing
  npm run migrate -- --draft old.prisma
                               print the SQL that leads from a former schema file to prisma/schema.prisma

Runs without downloading anything. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 something is pending.`;

/** Two migrations at once wait for each other on this advisory lock. */
const migrationLock = 7_404_271;

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return 2;
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
  { plan: boolean; check: boolean; draft?: string | undefined; help: boolean } | undefined {
  try {
    const flag = { type: 'boolean', default: false } as const;
    return parseArgs({
      options: {
        plan: flag,
        check: flag,
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

async function pending(
  engine: SchemaEngine,
): Promise<{ names: readonly string[]; problem?: string }> {
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
  if (history === null || history.diagnostic === 'migrationsDirectoryIsBehind') {
    return { names: [] };
  }
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
  const { names, problem } = await readPending(databaseUrl);
  if (problem !== undefined) return fail(problem);
  process.stdout.write(
    names.length === 0
      ? 'Nothing is pending.\n'
      : `${names.length} pending. Nothing was changed.\n`,
  );
  return names.length === 0 ? 0 : 3;
}

async function apply(databaseUrl: string): Promise<number> {
  const lock = await connect(databaseUrl);
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    let refusal: unknown;
    const engine = await openEngine(databaseUrl, (error) => {
      refusal = error;
    });
    const { problem } = await pending(engine);
    if (problem !== undefined) return fail(problem);
    const { appliedMigrationNames } = await engine
      .applyMigrations({ migrationsList: await loadMigrations(), filters: noFilters })
      .catch((error: unknown) => {
        throw refusal ?? error;
      });
    for (const name of appliedMigrationNames) process.stdout.write(`applied ${name}\n`);
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
