import { Redis } from 'ioredis';
import type { Log } from '@gateway/runtime';

/**
 * For producers: a command fails at once when Redis is away, so that a request never waits for it.
 * Postgres knows what is due.
 */
export function connectFailingFast(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    retryStrategy,
  });
  redis.on('error', (error: Error) => {
    log.warn('redis connection', { reason: error.message });
  });
  return redis;
}

/** For workers, as BullMQ wants it: commands wait for the connection to come back. */
export function connectPatiently(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    retryStrategy,
  });
  redis.on('error', (error: Error) => {
    log.warn('redis connection', { reason: error.message });
  });
  return redis;
}

const retryStrategy = (times: number): number => Math.min(100 * 2 ** Math.min(times, 5), 2_000);

/** A Redis that does not say goodbye within this is not waited for. */
const quitWithinMs = 1_000;

/** Ends a connection politely when it is up, at once when it is not, or turns out not to be. */
export async function closeConnection(redis: Redis): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, quitWithinMs);
  });
  if (redis.status === 'ready') await Promise.race([redis.quit().catch(() => undefined), late]);
  clearTimeout(timer);
  redis.disconnect();
}
