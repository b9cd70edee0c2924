import pg from 'pg';
import type { PrismaClient } from '../generated/client.ts';
import { boundedClient, NamelessClient, sharesSessions, type SessionBounds } from './sessions.ts';
import { SilentServerError, watchSilence } from './silence-watch.ts';
import { secretSealOf, type SecretSeal } from '../callbacks/secret-seal.ts';

export interface DatabaseOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly poolSize: number;
  /**
   * A server that says nothing for this long while a statement waits has fallen silent; it cancels
   * statements a ninth before.
   */
  readonly silentMs?: number;
  /** How long a statement may wait for a lock; as long as for anything else when left out. */
  readonly lockTimeoutMs?: number;
  readonly onError: (error: Error) => void;
  /** After which PostgreSQL cancels a statement, when it should be sooner. */
  readonly statementTimeoutMs?: number;
  /** Of CALLBACK_SECRET_KEYS; without keys callback secrets are stored in clear. */
  readonly secretKeys?: string;
}

/**
 * The one pool of a process. SQL by hand on it is for money, for the moves of tasks and for what a
 * request waits for; every other read and write goes through Prisma. A module of SQL that does not
 * say so by its subject has a sentence why at its top.
 */
export interface Database {
  readonly pool: pg.Pool;
  /** Loaded at its first use: a process at rest, and one that only needs SQL, does without. */
  readonly prisma: () => Promise<PrismaClient>;
  readonly seal: SecretSeal;
  /**
   * A connection outside of the pool, not yet connected, for what stays in a session. Undefined where
   * a pooler shares sessions.
   */
  readonly openClient: (() => pg.Client) | undefined;
  /** Rejects when the server does not respond within two seconds. */
  readonly check: () => Promise<unknown>;
  /** What its clock shows at this moment, in ms since the epoch. */
  readonly readTime: () => Promise<number>;
  readonly part: { readonly name: string; stop(): Promise<void> };
}

const int8: number = pg.types.builtins.INT8;
const parserOf = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown;

/**
 * int8 arrives as a number: CHECK constraints keep every int8 of ours within what a number holds
 * exactly.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : parserOf(oid, format)) as typeof pg.types.getTypeParser,
};

/** Longer than the server lets a statement take, and noticed within ten seconds. */
const usualSilentMs = 9_000;

export function createDatabase({
  url,
  applicationName,
  poolSize,
  silentMs = usualSilentMs,
  lockTimeoutMs,
  onError,
  secretKeys = '',
  statementTimeoutMs = Infinity,
}: DatabaseOptions): Database {
  const seal = secretSealOf(secretKeys);
  const connection = {
    connectionString: url,
    application_name: applicationName,
    types,
    connectionTimeoutMillis: Math.min(5_000, silentMs),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    Client: clientOf(url, {
      statementTimeoutMs: Math.min(statementTimeoutMs, Math.floor((silentMs * 8) / 9)),
      idleInTransactionMs: 20_000,
      lockTimeoutMs,
    }),
  });
  const watch = watchSilence(pool, { silentMs });
  repeatDeadlocked(pool);
  pool.on('error', onError);
  // A connection may break at any moment, even while it is being released. Without a listener of
  // its own, that would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  let prisma: Promise<PrismaClient> | undefined;
  return {
    pool,
    seal,
    openClient: sharesSessions(url) ? undefined : () => new pg.Client(connection),
    prisma: () => (prisma ??= loadPrisma(pool)),
    check: () => checkPool(pool),
    readTime: () => readTime(pool),
    part: {
      name: 'database',
      async stop() {
        await (await prisma)?.$disconnect();
        await pool.end();
        watch.stop();
      },
    },
  };
}

async function loadPrisma(pool: pg.Pool): Promise<PrismaClient> {
  const { createPrisma } = await import('./prisma.ts');
  return createPrisma(pool);
}

/**
 * Bounds what a stuck session can hold up: rows, locks, and the horizon of autovacuum. Sessions that
 * are shared have the bounds of their role.
 */
const clientOf = (url: string, bounds: SessionBounds): typeof pg.Client =>
  sharesSessions(url) ? NamelessClient : boundedClient(bounds);

/** A check ends before those who ask give up, and a connection that failed it is closed. */
const checkMs = 1_900;

async function checkPool(pool: pg.Pool): Promise<void> {
  // The types of the driver do not know that a statement may have a timeout of its own.
  const check: pg.QueryConfig & { query_timeout: number } = {
    text: 'SELECT 1',
    query_timeout: checkMs,
  };
  await pool.query(check).catch((error: unknown) => {
    throw (error as Error).message === 'Query read timeout'
      ? new SilentServerError(checkMs)
      : error;
  });
}

async function readTime(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>({
    name: 'read-time',
    text: 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  });
  const ms = rows[0]?.ms;
  if (ms === undefined) throw new Error('the database did not say what time it is');
  return ms;
}

const deadlockDetected = '40P01';
const maxAttempts = 3;

/**
 * A single statement that PostgreSQL aborted to end a deadlock has changed nothing, and is sent
 * again. Locks are taken in one order everywhere, with one exception: of two simultaneous first
 * creations of one task, the second holds the lock on the account's count when it meets the row of
 * the first, which another process may be ending at that moment.
 */
function repeatDeadlocked(pool: pg.Pool): void {
  const send = pool.query.bind(pool) as (...statement: unknown[]) => Promise<unknown>;
  const query = async (...statement: unknown[]): Promise<unknown> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send(...statement);
      } catch (error) {
        if (attempt === maxAttempts || (error as { code?: unknown }).code !== deadlockDetected) {
          throw error;
        }
      }
    }
  };
  pool.query = query as typeof pool.query;
}

/**
 * Runs `body` in one transaction on one connection. Only for statements that each need a fresh
 * snapshot.
 */
export async function inTransaction<Result>(
  pool: pg.Pool,
  body: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await body(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // A connection whose transaction could not be ended must not return to the pool.
    await client.query('ROLLBACK').then(
      () => {
        client.release();
      },
      () => {
        client.release(true);
      },
    );
    throw error;
  }
}
