/** How many calls went to each provider, of late. */
export interface CallRates {
  note(provider: string): void;
  /** Calls in the last minute, give or take a tenth of it; providers without one are left out. */
  inMinute(): Readonly<Record<string, number>>;
}

const bucketMs = 6_000;
const buckets = 10;

/** Counts in buckets of a tenth of a minute. `nowMs` is a monotonic clock. */
export function createCallRates(nowMs: () => number): CallRates {
  const counted = new Map<string, Map<number, number>>();
  const bucketNow = (): number => Math.floor(nowMs() / bucketMs);
  return {
    note(provider) {
      const bucket = bucketNow();
      const counts = counted.get(provider) ?? new Map<number, number>();
      counted.set(provider, counts);
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
      for (const old of counts.keys()) if (old <= bucket - buckets) counts.delete(old);
    },
    inMinute() {
      const oldest = bucketNow() - buckets + 1;
      const sums = [...counted].map(([provider, counts]) => {
        const recent = [...counts].filter(([bucket]) => bucket >= oldest);
        return [provider, recent.reduce((sum, [, count]) => sum + count, 0)] as const;
      });
      return Object.fromEntries(sums.filter(([, calls]) => calls > 0));
    },
  };
}
