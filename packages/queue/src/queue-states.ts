import type { Redis } from 'ioredis';

/** One queue as it is at a moment. */
export interface QueueState {
  readonly queue: string;
  /** Ready to be taken; prioritized ones included. */
  readonly waiting: number;
  readonly active: number;
  /** Delayed to a time, whether it has passed or not. */
  readonly delayed: number;
  /** Of these, those whose time has passed: they wait for any worker to move them. */
  readonly overdue: number;
  /** Since when the first of these is overdue. */
  readonly oldestOverdueMs: number;
  readonly failed: number;
  readonly isPaused: boolean;
}

/**
 * BullMQ keeps delayed jobs in the order of their time: a score is milliseconds times this, plus a
 * counter.
 */
const scoresPerMs = 0x1000;

/** Reads it all in one pipeline. Rejects when Redis is away. KEDA reads the same keys. */
export async function readQueueState(
  redis: Redis,
  { prefix, queue, now }: { readonly prefix: string; readonly queue: string; readonly now: number },
): Promise<QueueState> {
  const key = (state: string): string => `${prefix}:${queue}:${state}`;
  const replies = await redis
    .pipeline()
    .llen(key('wait'))
    .zcard(key('prioritized'))
    .llen(key('active'))
    .zcard(key('delayed'))
    .zcount(key('delayed'), 0, now * scoresPerMs)
    .zcard(key('failed'))
    .zrange(key('delayed'), '0', '0', 'WITHSCORES')
    .hexists(key('meta'), 'paused')
    .exec();
  const values = (replies ?? []).map(([error, value]) => {
    if (error !== null) throw error;
    return value;
  });
  const [waiting = 0, prioritized = 0, active = 0, delayed = 0, overdue = 0, failed = 0] =
    values.slice(0, 6) as number[];
  const [, firstScore] = values[6] as string[];
  const dueAt = firstScore === undefined ? now : Math.floor(Number(firstScore) / scoresPerMs);
  return {
    queue,
    waiting: waiting + prioritized,
    active,
    delayed,
    overdue,
    oldestOverdueMs: Math.max(0, now - dueAt),
    failed,
    isPaused: values[7] === 1,
  };
}

/** Empty when the server does not say. */
export async function readMaxmemoryPolicy(redis: Redis): Promise<string> {
  return /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1] ?? '';
}

/** The ids of those jobs that are delayed beyond `dueAfter`. Rejects when Redis is away. */
export async function readDelayed(
  redis: Redis,
  {
    prefix,
    queue,
    ids,
    dueAfter,
  }: {
    readonly prefix: string;
    readonly queue: string;
    readonly ids: readonly string[];
    readonly dueAfter: number;
  },
): Promise<string[]> {
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.zscore(`${prefix}:${queue}:delayed`, id);
  const scores = ((await pipeline.exec()) ?? []).map(([error, score]) => {
    if (error !== null) throw error;
    return score === null ? 0 : Number(score);
  });
  return ids.filter((_id, index) => (scores[index] ?? 0) / scoresPerMs > dueAfter);
}

/** The ids of at most `limit` jobs that are delayed beyond `dueAfter`. Rejects when Redis is away. */
export const readAllDelayed = (
  redis: Redis,
  {
    prefix,
    queue,
    dueAfter,
    limit,
  }: {
    readonly prefix: string;
    readonly queue: string;
    readonly dueAfter: number;
    readonly limit: number;
  },
): Promise<string[]> =>
  redis.zrangebyscore(
    `${prefix}:${queue}:delayed`,
    dueAfter * scoresPerMs,
    '+inf',
    'LIMIT',
    0,
    limit,
  );
