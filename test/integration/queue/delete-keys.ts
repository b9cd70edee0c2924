import type { Redis } from 'ioredis';

const script = `
  local keys = redis.call('KEYS', ARGV[1])
  for _, key in ipairs(keys) do redis.call('DEL', key) end
  return #keys`;

/**
 * What FLUSHALL does, to the keys of a pattern only; returns how many they were. In one step: a job that
 * is added between a look and a deletion would stay without the list that it stands in, which no loss
 * of a Redis leaves behind.
 */
export const deleteKeys = (redis: Redis, pattern: string): Promise<number> =>
  redis.eval(script, 0, pattern) as Promise<number>;
