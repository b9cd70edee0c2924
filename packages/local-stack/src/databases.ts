import { assertReachable } from './ports.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';

export interface DatabasesOptions {
  readonly dataDir: string;
  readonly durable: boolean;
  /** Used as they are when given. */
  readonly databaseUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
  /** The database that the PostgreSQL address names. */
  readonly database: string;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface Databases {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Stops what was started here, and nothing else. */
  stop(): Promise<void>;
}

/** PostgreSQL and Redis, side by side; each only when no address was given for it. */
export async function startDatabases(options: DatabasesOptions): Promise<Databases> {
  for (const [setting, address] of [
    ['DATABASE_URL', options.databaseUrl],
    ['REDIS_URL', options.redisUrl],
  ] as const) {
    if (address !== undefined) await assertReachable(setting, address);
  }
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(stops.map((each) => each()));
  };
  const starting = [bringUpPostgres(options, stops), bringUpRedis(options, stops)] as const;
  try {
    const [databaseUrl, redisUrl] = await Promise.all(starting);
    return { databaseUrl, redisUrl, stop };
  } catch (error) {
    await Promise.allSettled(starting);
    await stop();
    throw error;
  }
}

async function bringUpPostgres(
  { databaseUrl, dataDir, durable, database, log, signal }: DatabasesOptions,
  stops: (() => Promise<void>)[],
): Promise<string> {
  if (databaseUrl !== undefined) return databaseUrl;
  log('starting PostgreSQL');
  const postgres = await startPostgres({ dataDir, durable, database, log, signal });
  stops.push(() => postgres.stop());
  log(`PostgreSQL is ready on port ${postgres.port}`);
  return postgres.url;
}

async function bringUpRedis(
  { redisUrl, dataDir, durable, log, signal }: DatabasesOptions,
  stops: (() => Promise<void>)[],
): Promise<string> {
  if (redisUrl !== undefined) return redisUrl;
  log('starting Redis');
  const redis = await startRedis({ dataDir, durable, log, signal });
  stops.push(() => redis.stop());
  log(`Redis is ready on port ${redis.port}`);
  return redis.url;
}
