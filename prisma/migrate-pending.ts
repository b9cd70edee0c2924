import pg from 'pg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { loadMigrations, noFilters, openEngine } from './engine.ts';

/** A connection; what keeps it from coming about is told with the setting that says where to. */
export async function connect(databaseUrl: string): Promise<pg.Client> {
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
export async function readPending(databaseUrl: string): ReturnType<typeof pending> {
  await (await connect(databaseUrl)).end();
  return pending(await openEngine(databaseUrl));
}

interface Pending {
  readonly names: readonly string[];
  readonly problem?: string;
  /** A newer version has migrated this database: its grants are not ours to judge. */
  readonly isBehind?: boolean;
}

/** What this engine's database has not applied. */
export async function pending(engine: SchemaEngine): Promise<Pending> {
  const { history, editedMigrationNames, failedMigrationNames } =
    await engine.diagnoseMigrationHistory({
      migrationsList: await loadMigrations(),
      optInToShadowDatabase: false,
      filters: noFilters,
    });
  // What failed of a newer version is none of ours: its schema is the one that we work with.
  const own = await ownNames();
  const failed = failedMigrationNames.filter((name) => own.includes(name));
  if (failed.length > 0) {
    return {
      names: [],
      problem: `these migrations failed half-way: ${failed.join(', ')}; mend what they say (docs/upgrading.md#a-migration-that-failed), then npm run migrate -- --resolve, and migrate again`,
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

/** The migrations of this version, in their order. */
export const ownNames = async (): Promise<string[]> =>
  (await loadMigrations()).migrationDirectories.map(({ path }) => path);

/**
 * The first line of what went wrong: the engine adds traces of its own, and a refused connection
 * comes as several errors.
 */
export function sentenceOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return String((first as { message?: unknown }).message ?? first).split('\n')[0] ?? '';
}

/** Says why, and gives the exit code. */
export function fail(problem: string): number {
  process.stderr.write(`The database cannot be migrated: ${problem}\n`);
  return 1;
}
