import type { RedisConnection } from './redis-connection.ts';
import {
  addGrant,
  changeLimit,
  createRateLease,
  extraFor,
  isKnownEmpty,
  isRunningLow,
  noteRequest,
  returnToken,
  setAside,
  takeBack,
  useToken,
  type RateLease,
} from './rate-lease.ts';

export interface RateDecision {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests left in the window, as far as this replica knows. */
  readonly remaining: number;
  /** Until the window ends that began with the oldest request still counted. At most the window. */
  readonly resetMs: number;
  /** 0 when allowed. */
  readonly retryAfterMs: number;
  /** The bucket that an allowed request is counted in; undefined while a replica counts alone. */
  readonly bucket: number | undefined;
}

/**
 * Requests per minute, over all replicas. The window slides: no stretch of 60 s holds more than
 * `limit` admitted requests. Requests are counted in buckets of 2 s and a bucket counts until all
 * of it is older than 60 s, so a used request comes back after 60 to 62 s: a caller that always
 * takes everything gets `limit` each 62 s at worst. Tokens are leased for the rest of the present
 * bucket and given back when they were not used. A replica that dies with a lease takes at most its
 * few tokens with it, for one window. Without Redis each replica counts alone, in fixed windows
 * with the full limit.
 */
export interface RateLimits {
  /**
   * Counts one request of the subject, or refuses it. `limit` is per minute. Resolves at once from a
   * lease, else after one call to Redis; never throws or rejects.
   */
  take(subject: string, limit: number): RateDecision | Promise<RateDecision>;
  /** Uncounts a request that was allowed and then refused for another reason. */
  giveBack(subject: string, decision: RateDecision): void;
}

export interface RateLimitsPart extends RateLimits {
  /** Gives lapsed tokens back and forgets idle subjects; to be called once a bucket. */
  sweep(): void;
  /** Gives everything back. */
  close(): Promise<void>;
  /** Subjects remembered at present. */
  size(): number;
}

export interface RateLimitsOptions {
  readonly redis: RedisConnection;
  readonly now: () => number;
  readonly windowMs: number;
  readonly bucketMs: number;
}

interface Entry {
  readonly subject: string;
  readonly lease: RateLease;
  readonly waiting: ((decision: RateDecision) => void)[];
  isFetching: boolean;
  usedAt: number;
  /** The fixed window of a replica on its own. */
  aloneSince: number;
  aloneCount: number;
}

const openEntry = (subject: string, limit: number): Entry => ({
  subject,
  lease: createRateLease(limit),
  waiting: [],
  isFetching: false,
  usedAt: 0,
  aloneSince: -Infinity,
  aloneCount: 0,
});

export function createRateLimits(options: RateLimitsOptions): RateLimitsPart {
  const { redis, now, windowMs, bucketMs } = options;
  const entries = new Map<string, Entry>();
  const fetch = createFetch(options);
  const open = (subject: string, limit: number): Entry => {
    const entry = openEntry(subject, limit);
    entries.set(subject, entry);
    return entry;
  };
  return {
    take(subject, limit) {
      const time = now();
      const entry = entries.get(subject) ?? open(subject, limit);
      const { lease } = entry;
      entry.usedAt = time;
      if (lease.limit !== limit) changeLimit(lease, limit);
      noteRequest(lease, time, bucketMs);
      if (!redis.isUp()) return decideAlone(entry, time, windowMs);
      if (useToken(lease, time)) {
        if (!entry.isFetching && isRunningLow(lease)) void fetch(entry, extraFor(lease));
        return decide(entry, time, { allowed: true, windowMs });
      }
      if (isKnownEmpty(lease, time)) return decide(entry, time, { allowed: false, windowMs });
      return new Promise((resolve) => {
        setAside(lease);
        entry.waiting.push(resolve);
        if (!entry.isFetching) void fetch(entry, extraFor(lease));
      });
    },
    giveBack(subject, { bucket }) {
      const entry = entries.get(subject);
      if (entry === undefined) return;
      if (bucket !== undefined) returnToken(entry.lease, bucket);
      else entry.aloneCount = Math.max(0, entry.aloneCount - 1);
    },
    sweep() {
      const time = now();
      for (const entry of entries.values()) {
        if (time >= entry.lease.endsAt) setAside(entry.lease);
        if (entry.lease.backTokens > 0 && !entry.isFetching && redis.isUp()) void fetch(entry, 0);
        else if (time - entry.usedAt > 2 * windowMs && entry.waiting.length === 0) {
          entries.delete(entry.subject);
        }
      }
    },
    async close() {
      const fetches: Promise<void>[] = [];
      for (const entry of entries.values()) {
        setAside(entry.lease);
        if (entry.lease.backTokens > 0 && redis.isUp()) fetches.push(fetch(entry, 0));
      }
      await Promise.all(fetches);
      entries.clear();
    },
    size: () => entries.size,
  };
}

/**
 * Calls Redis for those who wait and `extra` tokens more. One at a time for a subject; whoever
 * comes meanwhile waits for it.
 */
function createFetch({
  redis,
  now,
  windowMs,
  bucketMs,
}: RateLimitsOptions): (entry: Entry, extra: number) => Promise<void> {
  const buckets = Math.ceil(windowMs / bucketMs);
  const fetch = async (entry: Entry, extra: number): Promise<void> => {
    const { lease, waiting, subject } = entry;
    entry.isFetching = true;
    const back = takeBack(lease);
    const sentAt = now();
    const { limit } = lease;
    const values = [limit, waiting.length, extra, bucketMs, buckets, back.bucket, back.tokens];
    try {
      const [tokens, left, bucket, bucketLeftMs, resetMs] = (await redis.run({
        script: 'takeRate',
        key: `rate:${subject}`,
        values,
      })) as [number, number, number, number, number];
      addGrant(lease, { limit, sentAt, tokens, left, bucket, bucketLeftMs, resetMs });
      entry.isFetching = false;
      serve(entry);
    } catch {
      entry.isFetching = false;
      for (const resolve of waiting.splice(0)) resolve(decideAlone(entry, now(), windowMs));
    }
  };
  /**
   * Whoever waits gets a token; when they run out, the next call if Redis has some left, else a
   * refusal.
   */
  const serve = (entry: Entry): void => {
    const { lease, waiting } = entry;
    const time = now();
    // Not `useToken`: Redis has counted these for those who wait, however long its response took.
    while (waiting.length > 0 && lease.tokens > 0) {
      lease.tokens -= 1;
      waiting.shift()?.(decide(entry, time, { allowed: true, windowMs }));
    }
    if (waiting.length === 0) return;
    if (lease.left > 0) void fetch(entry, extraFor(lease));
    else {
      for (const resolve of waiting.splice(0)) {
        resolve(decide(entry, time, { allowed: false, windowMs }));
      }
    }
  };
  return fetch;
}

function decide(
  { lease }: Entry,
  time: number,
  { allowed, windowMs }: { readonly allowed: boolean; readonly windowMs: number },
): RateDecision {
  const resetMs = Math.min(windowMs, Math.max(1, Math.ceil(lease.resetAt - time)));
  return {
    allowed,
    limit: lease.limit,
    remaining: allowed ? lease.left + lease.tokens : 0,
    resetMs,
    retryAfterMs: allowed ? 0 : resetMs,
    bucket: lease.bucket,
  };
}

/** Without Redis: a fixed window of this replica. */
function decideAlone(entry: Entry, time: number, windowMs: number): RateDecision {
  const {
    lease: { limit },
  } = entry;
  if (time >= entry.aloneSince + windowMs) {
    entry.aloneSince = time;
    entry.aloneCount = 0;
  }
  const allowed = entry.aloneCount < limit;
  if (allowed) entry.aloneCount += 1;
  const resetMs = Math.max(1, Math.ceil(entry.aloneSince + windowMs - time));
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - entry.aloneCount),
    resetMs,
    retryAfterMs: allowed ? 0 : resetMs,
    bucket: undefined,
  };
}
