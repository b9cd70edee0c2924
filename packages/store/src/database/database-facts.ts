// SQL by hand: the server's settings and the history of migrations are no tables of the schema.
import type { Database } from './database.ts';

export interface AppliedMigration {
  readonly name: string;
  /** False: it began and did not end. */
  readonly isFinished: boolean;
}

export interface DatabaseFacts {
  /** As `server_version_num`: 160004 for 16.4. */
  readonly versionNumber: number;
  readonly versionText: string;
  readonly now: Date;
  /** Undefined: this database was never migrated. */
  readonly migrations: readonly AppliedMigration[] | undefined;
}

/** What the doctor asks of the database. Rejects when it cannot be reached. */
export async function readDatabaseFacts({ pool }: Database): Promise<DatabaseFacts> {
  const {
    rows: [server],
  } = await pool.query<{
    versionNumber: number;
    versionText: string;
    now: Date;
    isMigrated: boolean;
  }>(
    `SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS "versionText", clock_timestamp() AS now, to_regclass('_prisma_migrations') IS NOT NULL AS "isMigrated"`,
  );
  if (server === undefined) throw new Error('the database said nothing about itself');
  const { isMigrated, ...facts } = server;
  if (!isMigrated) return { ...facts, migrations: undefined };
  const { rows: migrations } = await pool.query<AppliedMigration>(
    'SELECT migration_name AS name, finished_at IS NOT NULL AS "isFinished" FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name',
  );
  return { ...facts, migrations };
}
