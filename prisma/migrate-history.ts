import pg from 'pg';

/** What the history says of a migration that began and did not end. */
export interface FailedMigration {
  readonly name: string;
  /** What the database said; null when the migrator was killed before it could note that. */
  readonly logs: string | null;
}

export type Resolution = 'applied' | 'rolled back';

/** In the note of a migration while its script is committed and not recorded as finished yet. */
export const committedMark = 'the script is committed';

/**
 * Appended to a script, and committed or undone with it: it tells whoever comes after a kill whether
 * the script had taken effect. Scripts that cannot be one transaction go without.
 */
export const markCommitted = (script: string): string =>
  `${script}\n;UPDATE _prisma_migrations SET logs = '${committedMark}' WHERE finished_at IS NULL AND rolled_back_at IS NULL AND logs IS NULL`;

/** The index that a script builds beside the transactions of others; undefined for any other script. */
export const concurrentIndexOf = (script: string): string | undefined =>
  /CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?"?(\w+)"?/.exec(script)?.[1];

async function hasHistory(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT FROM pg_class WHERE oid = to_regclass('_prisma_migrations')`,
  );
  return rows.length > 0;
}

/** A migration has begun and is not recorded as finished. */
export async function isMigrating(client: pg.ClientBase): Promise<boolean> {
  if (!(await hasHistory(client))) return false;
  const { rows } = await client.query(
    'SELECT FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
  return rows.length > 0;
}

/** Those of `names` that began and did not end. */
export async function readFailed(
  client: pg.ClientBase,
  names: readonly string[],
): Promise<FailedMigration[]> {
  if (!(await hasHistory(client))) return [];
  const { rows } = await client.query<FailedMigration>(
    `SELECT migration_name AS name, logs FROM _prisma_migrations
     WHERE finished_at IS NULL AND rolled_back_at IS NULL AND migration_name = ANY ($1) ORDER BY started_at`,
    [names],
  );
  return rows;
}

/** Those of `names` that this database has not finished, in their order. */
export async function readUnfinished(
  client: pg.ClientBase,
  names: readonly string[],
): Promise<string[]> {
  if (!(await hasHistory(client))) return [...names];
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const finished = new Set(rows.map(({ name }) => name));
  return names.filter((name) => !finished.has(name));
}

/** Whether this database has begun migrations that are none of `names`: those of a newer version. */
export async function isAhead(client: pg.ClientBase, names: readonly string[]): Promise<boolean> {
  const { rows } = await client.query(
    'SELECT FROM _prisma_migrations WHERE rolled_back_at IS NULL AND migration_name <> ALL ($1) LIMIT 1',
    [names],
  );
  return rows.length > 0;
}

/**
 * Brings the history to what is: a migration whose script was committed is applied, any other was
 * undone by the database, but for an index that it left half-built and that is dropped here. Then it
 * can be applied again.
 */
export async function resolve(
  client: pg.ClientBase,
  { name, logs }: FailedMigration,
  { script, isApplied = false }: { readonly script: string; readonly isApplied?: boolean },
): Promise<Resolution> {
  const index = concurrentIndexOf(script);
  const isThere =
    isApplied ||
    logs === committedMark ||
    (index !== undefined && (await isValidIndex(client, index)));
  if (isThere) {
    await client.query(
      `UPDATE _prisma_migrations SET finished_at = now(), logs = NULL, applied_steps_count = 1
       WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
      [name],
    );
    return 'applied';
  }
  if (index !== undefined) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`);
  await client.query(
    `UPDATE _prisma_migrations SET rolled_back_at = now()
     WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
    [name],
  );
  return 'rolled back';
}

async function isValidIndex(client: pg.ClientBase, index: string): Promise<boolean> {
  const { rows } = await client.query(
    'SELECT FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1)) AND indisvalid',
    [index],
  );
  return rows.length === 1;
}

/** Whether a script of a migrator that is gone still runs: the server notices only at its next word. */
export async function isStillRunning(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gateway migrate' AND pid <> pg_backend_pid() AND state = 'active'`,
  );
  return rows.length > 0;
}

/**
 * Whether this address gives the session of one client to another: a pooler by transaction, behind
 * which the lock of a migrator would stay on a session that others use.
 */
export async function sharesSessions(first: pg.ClientBase, url: string): Promise<boolean> {
  const pidOf = async (client: pg.ClientBase): Promise<number | undefined> =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  const second = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  second.on('error', () => undefined);
  const pid = await pidOf(first);
  try {
    await second.connect();
    return (await pidOf(second)) === pid;
  } finally {
    await second.end();
  }
}
