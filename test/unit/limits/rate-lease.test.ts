import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addGrant,
  changeLimit,
  createRateLease,
  extraFor,
  extraTokens,
  isKnownEmpty,
  isRunningLow,
  setAside,
  takeBack,
  useToken,
  type RateLease,
} from '../../../packages/limits/src/rate-lease.ts';

const grant = {
  limit: 100,
  sentAt: 0,
  tokens: 2,
  left: 98,
  bucket: 7,
  bucketLeftMs: 1_000,
  resetMs: 60_000,
};
const leaseWith = (change: Partial<RateLease>): RateLease =>
  Object.assign(createRateLease(100), { requests: 100 }, change);

describe('the tokens that a trip asks for beyond need', () => {
  it.each([
    [1, 0],
    [20, 0],
    [21, 1],
    [99, 1],
    [100, 2],
    [600, 12],
    [3_200, 64],
    [51_200, 1_024],
    [1_000_000, 1_024],
  ])('of a limit of %i are %i', (limit, extra) => {
    expect(extraTokens(limit)).toBe(extra);
  });
});

describe('a leased token', () => {
  it('is used once, and not after its bucket has ended', () => {
    const lease = createRateLease(100);
    addGrant(lease, grant);

    expect([
      useToken(lease, 0),
      useToken(lease, 1_000),
      useToken(lease, 999),
      useToken(lease, 999),
    ]).toEqual([true, false, true, false]);
  });

  it('lapses by the time the batch was sent, not by the time of its response', () => {
    const lease = createRateLease(100);
    addGrant(lease, { ...grant, sentAt: 5_000 });

    expect(lease).toMatchObject({ endsAt: 6_000, resetAt: 65_000 });
  });

  it('of another bucket takes the place of those left over, which are given back', () => {
    const lease = createRateLease(100);
    addGrant(lease, grant);
    addGrant(lease, { ...grant, bucket: 8, tokens: 5 });

    expect(lease).toMatchObject({ tokens: 5, bucket: 8 });
    expect(takeBack(lease)).toEqual({ bucket: 7, tokens: 2 });
    expect(takeBack(lease).tokens).toBe(0);
  });

  it('is given back when the limit changes, also when it was on its way', () => {
    const lease = createRateLease(100);
    addGrant(lease, grant);
    changeLimit(lease, 50);
    addGrant(lease, { ...grant, left: 0 });

    expect(lease).toMatchObject({ tokens: 0, left: 50, emptyUntil: 0 });
    expect(takeBack(lease)).toEqual({ bucket: 7, tokens: 4 });
  });
});

describe('a lease', () => {
  it('remembers that Redis had nothing left until the bucket ends', () => {
    const lease = createRateLease(100);
    addGrant(lease, { ...grant, tokens: 0, left: 0 });

    expect([isKnownEmpty(lease, 999), isKnownEmpty(lease, 1_000)]).toEqual([true, false]);
  });

  it.each<[string, Partial<RateLease>, boolean]>([
    ['has many tokens', { limit: 1_000, tokens: 6, left: 500 }, false],
    ['has a quarter of a batch', { limit: 1_000, tokens: 5, left: 500 }, true],
    ['has few, and Redis has none', { limit: 1_000, tokens: 1, left: 0 }, false],
    ['belongs to a small limit', { limit: 20, tokens: 0, left: 10 }, false],
  ])('that %s fetches more in time, or not (%#)', (_what, change, expected) => {
    expect(isRunningLow(leaseWith(change))).toBe(expected);
  });
});

/** What Redis keeps, in the words of the script: tokens counted in each bucket. */
interface Counter {
  readonly counted: Map<number, number>;
  readonly granted: number[];
}

type Step = { readonly replica: number } & (
  | { readonly does: 'take' | 'lapse' | 'lose' }
  | { readonly does: 'fetch'; readonly need: number }
  | { readonly does: 'wait'; readonly ms: number }
);

const bucketMs = 100;
const buckets = 5;
const step: fc.Arbitrary<Step> = fc.record({ replica: fc.nat(2) }).chain(({ replica }) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant({ replica, does: 'take' as const }) },
    {
      weight: 3,
      arbitrary: fc.nat(5).map((need) => ({ replica, does: 'fetch' as const, need })),
    },
    {
      weight: 2,
      arbitrary: fc
        .integer({ min: 1, max: 150 })
        .map((ms) => ({ replica, does: 'wait' as const, ms })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { replica, does: 'lapse' as const },
        { replica, does: 'lose' as const },
      ),
    },
  ),
);

describe('leases of three replicas, whatever happens in whatever order', () => {
  it('never let more than the limit through in any stretch of a window, and use no token twice', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 200 }),
        fc.integer({ min: 1, max: 200 }),
        (steps, limit) => {
          const leases = [0, 1, 2].map(() => createRateLease(limit));
          const counter: Counter = { counted: new Map(), granted: [] };
          const used: number[] = [];
          let now = 0;
          for (const each of steps) {
            const lease = leases[each.replica]!;
            if (each.does === 'wait') now += each.ms;
            else if (each.does === 'take') {
              if (useToken(lease, now)) used.push(now);
            } else if (each.does === 'lapse') {
              if (now >= lease.endsAt) setAside(lease);
            } else if (each.does === 'fetch') fetchFrom(counter, lease, { now, need: each.need });
            else takeBack(lease); // on its way when the connection broke
          }

          const most = Math.max(
            0,
            ...used.map(
              (start) => used.filter((at) => at >= start && at < start + buckets * bucketMs).length,
            ),
          );
          expect(most).toBeLessThanOrEqual(limit);
          expect(used.length).toBeLessThanOrEqual(
            counter.granted.reduce((total, tokens) => total + tokens, 0),
          );
          for (const tokens of counter.counted.values()) expect(tokens).toBeGreaterThanOrEqual(0);
        },
      ),
      { seed: 20_240_601, numRuns: 500 },
    );
  });
});

function fetchFrom(
  { counted, granted }: Counter,
  lease: RateLease,
  { now, need }: { readonly now: number; readonly need: number },
): void {
  const back = takeBack(lease);
  const bucket = Math.floor(now / bucketMs);
  if (back.tokens > 0) counted.set(back.bucket, (counted.get(back.bucket) ?? 0) - back.tokens);
  const inWindow = [...counted]
    .filter(([at]) => at >= bucket - buckets)
    .reduce((total, [, tokens]) => total + tokens, 0);
  const left = Math.max(0, lease.limit - inWindow);
  const needed = Math.min(need, left);
  const tokens = needed + Math.min(extraTokens(lease.limit), Math.floor((left - needed) / 10));
  counted.set(bucket, (counted.get(bucket) ?? 0) + tokens);
  granted.push(tokens);
  addGrant(lease, {
    limit: lease.limit,
    sentAt: now,
    tokens,
    left: left - tokens,
    bucket,
    bucketLeftMs: (bucket + 1) * bucketMs - now,
    resetMs: 0,
  });
}

describe('the extra tokens of a subject that asks seldom', () => {
  it.each([
    [0, 0, 0],
    [1, 0, 0],
    [2, 0, 1],
    [3, 1, 2],
    [1, 4, 3],
    [100, 0, 12],
  ])('with %i requests now and %i before are %i', (requests, requestsBefore, expected) => {
    const lease = Object.assign(createRateLease(600), { requests, requestsBefore });

    expect(extraFor(lease)).toBe(expected);
  });
});
