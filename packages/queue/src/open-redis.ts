import { Redis, type RedisOptions } from 'ioredis';
import { readSentinels } from '@gateway/runtime';

/** A connection to one Redis, or to the primary that sentinels name. */
export function openRedis(redisUrl: string, options: Omit<RedisOptions, 'replyMapping'>): Redis {
  const sentinels = readSentinels(redisUrl);
  return sentinels === undefined
    ? new Redis(redisUrl, options)
    : new Redis({ ...sentinels, ...options });
}
