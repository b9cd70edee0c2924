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
  /** Connected services (`api`) whose role owns the tables or stands above all rights. */
  readonly owners: readonly string[];
  /** Services that are connected to this database at the moment. */
  readonly connected: readonly string[];
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
  const { isMigrated, ...shown } = server;
  const facts = { ...shown, connected: await readConnected(pool) };
  if (!isMigrated) return { ...facts, migrations: undefined, owners: [] };
  const { rows: migrations } = await pool.query<AppliedMigration>(
    'SELECT migration_name AS name, finished_at IS NOT NULL AS "isFinished" FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name',
  );
  return { ...facts, migrations, owners: await readOwners(pool) };
}

const services = ['api', 'billing', 'video-worker', 'callback-dispatcher'];

/** As services call themselves to the database. */
const applicationNames = services.map((name) => `gateway ${name}`);

/** Every role may read who is connected, under which name. */
async function readConnected(pool: Database['pool']): Promise<string[]> {
  const { rows } = await pool.query<{ service: string }>(
    `SELECT DISTINCT replace(application_name, 'gateway ', '') AS service FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = ANY($1) ORDER BY 1`,
    [applicationNames],
  );
  return rows.map(({ service }) => service);
}

async function readOwners(pool: Database['pool']): Promise<string[]> {
  const { rows } = await pool.query<{ service: string }>(
    `SELECT DISTINCT replace(a.application_name, 'gateway ', '') AS service
     FROM pg_stat_activity a JOIN pg_roles r ON r.oid = a.usesysid, pg_class c
     WHERE a.datname = current_database() AND c.oid = to_regclass('ledger_entry')
       AND a.application_name = ANY($1)
       AND (r.rolsuper OR pg_has_role(r.oid, c.relowner, 'MEMBER'))
     ORDER BY 1`,
    [applicationNames],
  );
  return rows.map(({ service }) => service);
}
