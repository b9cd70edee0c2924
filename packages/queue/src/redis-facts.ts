import { closeConnection } from './connection.ts';
import { openRedis } from './open-redis.ts';

export interface RedisFacts {
  readonly version: string;
  readonly now: Date;
  /** Empty when the server does not say. */
  readonly maxmemoryPolicy: string;
  readonly isAppendOnly: boolean;
  /** When it writes snapshots; empty: never; undefined: the server does not say. */
  readonly savePoints: string | undefined;
  readonly isLastSaveGood: boolean;
}

/** What the doctor asks of Redis. Rejects when it cannot be reached or does not let us in. */
export async function readRedisFacts(
  redisUrl: string,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<RedisFacts> {
  const redis = openRedis(redisUrl, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await redis.connect().catch((error: unknown) => {
      throw reason ?? error;
    });
    const [seconds, microseconds] = await redis.time();
    const info = fieldsOf(await redis.info());
    // Managed servers often refuse CONFIG; INFO has all but the save points.
    const save = await redis.config('GET', 'save').then(
      (match) => match[1] ?? '',
      () => undefined,
    );
    return {
      version: info.get('redis_version') ?? 'unknown',
      now: new Date(Number(seconds) * 1_000 + Number(microseconds) / 1_000),
      maxmemoryPolicy: info.get('maxmemory_policy') ?? '',
      isAppendOnly: info.get('aof_enabled') === '1',
      savePoints: save,
      isLastSaveGood: info.get('rdb_last_bgsave_status') !== 'err',
    };
  } finally {
    await closeConnection(redis);
  }
}

const fieldsOf = (info: string): ReadonlyMap<string, string> =>
  new Map(
    info.split(/\r?\n/).flatMap((line) => {
      const colon = line.indexOf(':');
      return line.startsWith('#') || colon === -1
        ? []
        : [[line.slice(0, colon), line.slice(colon + 1)] as const];
    }),
  );
