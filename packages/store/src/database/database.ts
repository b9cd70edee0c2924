import pg from 'pg';
import type { PrismaClient } from '../generated/client.ts';
import { createPrisma } from './prisma.ts';
import { secretSealOf, type SecretSeal } from '../callbacks/secret-seal.ts';

export interface DatabaseOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly poolSize: number;
  readonly onError: (error: Error) => void;
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
  readonly prisma: PrismaClient;
  readonly seal: SecretSeal;
  readonly check: () => Promise<unknown>;
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

export function createDatabase({
  url,
  applicationName,
  poolSize,
  onError,
  secretKeys = '',
}: DatabaseOptions): Database {
  const seal = secretSealOf(secretKeys);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: applicationName,
    max: poolSize,
    types,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    // Bounds what a stuck session can hold up: rows, locks, and the horizon of autovacuum.
    statement_timeout: 20_000,
    idle_in_transaction_session_timeout: 20_000,
  });
  repeatDeadlocked(pool);
  pool.on('error', onError);
  // A connection may break at any moment, even while it is being released. Without a listener of
  // its own, that would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  let prisma: PrismaClient | undefined;
  return {
    pool,
    seal,
    // Made on first use: a service that only needs SQL does not pay for Prisma's query compiler.
    get prisma() {
      prisma ??= createPrisma(pool);
      return prisma;
    },
    check: () => pool.query('SELECT 1'),
    part: {
      name: 'database',
      async stop() {
        await prisma?.$disconnect();
        await pool.end();
      },
    },
  };
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
