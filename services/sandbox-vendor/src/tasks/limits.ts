/** How often and how much the vendor lets one account call. */
export interface Limits {
  readonly getsPerSecond: number;
  readonly listsPerSecond: number;
  readonly deletesPerSecond: number;
  readonly createsPerMinute: number;
  readonly maxRunning: number;
}

/** Documented for the 2.0 family on an enterprise account. */
export const documentedLimits: Limits = {
  getsPerSecond: 20,
  listsPerSecond: 1,
  deletesPerSecond: 20,
  createsPerMinute: 600,
  maxRunning: 10,
};

/** So high that a benchmark on one machine does not meet them. */
export const generousLimits: Limits = {
  getsPerSecond: 5_000,
  listsPerSecond: 500,
  deletesPerSecond: 5_000,
  createsPerMinute: 100_000,
  maxRunning: 2_000,
};

export interface RateLimiter {
  /** Counts one request, or says that it is one too many. */
  take(): boolean;
}

/** The limits of each kind of question, over all tasks. */
export function createLimiters(
  { getsPerSecond, listsPerSecond, deletesPerSecond }: Limits,
  now: () => number,
): Readonly<Record<'get' | 'list' | 'delete', RateLimiter>> {
  const perSecond = (limit: number): RateLimiter =>
    createRateLimiter({ limit, windowMs: 1_000, now });
  return {
    get: perSecond(getsPerSecond),
    list: perSecond(listsPerSecond),
    delete: perSecond(deletesPerSecond),
  };
}

interface RateLimiterOptions {
  readonly limit: number;
  readonly windowMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Never more than `limit` requests in any stretch of `windowMs`. Refused requests do not count. */
export function createRateLimiter({ limit, windowMs, now }: RateLimiterOptions): RateLimiter {
  // a ring once it is full: the slot to be written next holds the oldest time
  const times: number[] = [];
  let next = 0;
  return {
    take() {
      const oldest = times[next];
      if (oldest !== undefined && now() - oldest < windowMs) return false;
      times[next] = now();
      next = (next + 1) % limit;
      return true;
    },
  };
}
