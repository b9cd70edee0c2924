import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/client.ts';
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
 * The one pool of a process: raw SQL for money and hot statements, Prisma for ordinary reads and
 * writes.
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
 * int8 arrives as a number; the schema's CHECKs keep every one of ours within what a number holds
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
  // A connection may break in any hands, also while it is being given back: without a listener of
  // its own that ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  let prisma: PrismaClient | undefined;
  return {
    pool,
    seal,
    // Made on first use: a service that only needs SQL does not pay for Prisma's query compiler.
    get prisma() {
      prisma ??= new PrismaClient({
        adapter: new PrismaPg({
          connectionString: url,
          application_name: applicationName,
          max: 4,
          connectionTimeoutMillis: 5_000,
        }),
      });
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
const mostTries = 3;

/**
 * A statement that stands alone and was chosen to end a deadlock has done nothing, and is sent
 * again. Locks are taken in one order everywhere but for two first creations of one task at once:
 * the one that comes second holds the account's room when it meets the row of the first, which
 * somebody may be ending just then.
 */
function repeatDeadlocked(pool: pg.Pool): void {
  const send = pool.query.bind(pool) as (...statement: unknown[]) => Promise<unknown>;
  const query = async (...statement: unknown[]): Promise<unknown> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await send(...statement);
      } catch (error) {
        if (tries === mostTries || (error as { code?: unknown }).code !== deadlockDetected) {
          throw error;
        }
      }
    }
  };
  pool.query = query as typeof pool.query;
}

/**
 * Runs `body` in one transaction on one connection. Only for statements that need a fresh look
 * between two of them.
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
    // A connection whose transaction could not be ended must not go back into the pool.
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
