import { performance } from 'node:perf_hooks';
import type { Log, Part } from '@gateway/runtime';
import { createBreakers, type Breakers, type BreakersPart } from './breakers.ts';
import { connectRedis, type RedisConnection } from './redis-connection.ts';
import { createPacers, type Pacers, type PacersPart } from './pacers.ts';
import { createRouteBreakers, type RouteBreakers } from './route-breakers.ts';
import { createRequestLimits, type RequestLimits } from './request-limits.ts';
import { createRateLimits, type RateLimits, type RateLimitsPart } from './rate-limits.ts';
import { createVendorBreakers, type VendorBreakers } from './vendor-breakers.ts';
import { createSlots, type Slots, type SlotsPart } from './slots.ts';

export interface SharedLimits {
  readonly rate: RateLimits;
  readonly pacers: Pacers;
  readonly slots: Slots;
  /** Made of those two: what one request of a key needs. */
  readonly requests: RequestLimits;
  readonly breakers: Breakers;
  /** Made of those breakers: where accounts share a route. */
  readonly routes: RouteBreakers;
  /** Made of those breakers: where a queue of tasks waits for a vendor. */
  readonly vendors: VendorBreakers;
  /**
   * Starts whether Redis is there or not; waits for it at most a second. Stops by giving everything
   * back.
   */
  readonly part: Part;
  /**
   * Rejects while Redis is away. The service goes on without it, so this is for telling, not for
   * refusing traffic.
   */
  check(): Promise<void>;
}

export interface SharedLimitsOptions {
  readonly redisUrl: string;
  /** Everything of ours in Redis begins with it: one a deployment. */
  readonly prefix: string;
  /** Unique among the replicas that live at one time. */
  readonly replicaId: string;
  readonly log: Log;
  /**
   * Milliseconds of a clock that never jumps; default the process's monotonic clock. Only
   * differences matter.
   */
  readonly now?: () => number;
  readonly breakers?: {
    readonly failuresToOpen?: number;
    readonly coolDownMs?: number;
    /** Uniform in [0, 1): pauses are up to a fifth shorter or longer. */
    readonly random?: () => number;
  };
  readonly timings?: Partial<Timings>;
}

/** All in ms. */
export interface Timings {
  /** Of the request rate. */
  readonly windowMs: number;
  /** The grain in which the window slides: a divisor of it. */
  readonly bucketMs: number;
  /** A replica that has not renewed its lease for this long holds no slots. */
  readonly slotLeaseMs: number;
  readonly slotRenewMs: number;
  /** How long a replica keeps no idle slots after another was refused one. */
  readonly slotWantedMs: number;
  readonly slotRetryMs: number;
  /** How long a request may wait for what other replicas keep idle. */
  readonly slotPatienceMs: number;
  readonly longestCoolDownMs: number;
  /** A probe whose outcome nobody reports is given up after this. */
  readonly probeMs: number;
  /** How long the permit to probe lasts when the replica that has it dies. */
  readonly probePermitMs: number;
  /** Redis is away when it has not responded after this. */
  readonly commandTimeoutMs: number;
}

const usualTimings: Timings = {
  windowMs: 60_000,
  bucketMs: 2_000,
  slotLeaseMs: 15_000,
  slotRenewMs: 5_000,
  slotWantedMs: 5_000,
  slotRetryMs: 20,
  slotPatienceMs: 60,
  longestCoolDownMs: 60_000,
  probeMs: 30_000,
  probePermitMs: 10_000,
  commandTimeoutMs: 1_000,
};

/**
 * Replicas that agree on which release they are agree on keys: a change of what they mean changes
 * this.
 */
const keyVersion = 'limits1';

/**
 * Limits that all replicas of a deployment share through Redis, and that each keeps alone while it
 * is away. Never money.
 */
export function createSharedLimits(options: SharedLimitsOptions): SharedLimits {
  const timings = { ...usualTimings, ...options.timings };
  const redis = connectRedis({
    redisUrl: options.redisUrl,
    prefix: `${options.prefix}:${keyVersion}`,
    replicaId: options.replicaId,
    log: options.log,
    commandTimeoutMs: timings.commandTimeoutMs,
  });
  const limits = createLimits(redis, options, timings);
  const requests = createRequestLimits(limits.rate, limits.slots);
  return {
    ...limits,
    requests,
    check: () => redis.check(),
    part: limitsPart(redis, limits, timings),
  };
}

interface Limits {
  readonly rate: RateLimitsPart;
  readonly pacers: PacersPart;
  readonly slots: SlotsPart;
  readonly breakers: BreakersPart;
  readonly routes: RouteBreakers;
  readonly vendors: VendorBreakers;
}

function createLimits(
  redis: RedisConnection,
  { replicaId, breakers = {}, now = () => performance.now() }: SharedLimitsOptions,
  timings: Timings,
): Limits {
  const { windowMs, bucketMs, longestCoolDownMs, probeMs } = timings;
  const forgetAfterMs = forgetAfter(timings);
  const { failuresToOpen = 5, coolDownMs = 10_000, random } = breakers;
  const all = createBreakers({
    redis,
    now,
    replicaId,
    random,
    // Not before a breaker's longest pause has ended and its probe has had time.
    forgetAfterMs: Math.max(forgetAfterMs, 2 * longestCoolDownMs),
    rules: { failuresToOpen, coolDownMs, longestCoolDownMs, probeMs },
    permitMs: timings.probePermitMs,
  });
  return {
    breakers: all,
    routes: createRouteBreakers({ breakers: all, now, failuresToOpen }),
    vendors: createVendorBreakers({ breakers: all, now, failuresToOpen }),
    rate: createRateLimits({ redis, now, windowMs, bucketMs }),
    pacers: createPacers({ redis, now, forgetAfterMs }),
    slots: createSlots({
      redis,
      now,
      replicaId,
      forgetAfterMs,
      leaseMs: timings.slotLeaseMs,
      wantedMs: timings.slotWantedMs,
      retryMs: timings.slotRetryMs,
      patienceMs: timings.slotPatienceMs,
    }),
  };
}

function limitsPart(
  redis: RedisConnection,
  { rate, pacers, slots, breakers }: Limits,
  timings: Timings,
): Part {
  const timers: NodeJS.Timeout[] = [];
  return {
    name: 'shared limits',
    async start() {
      timers.push(
        setInterval(rate.sweep, timings.bucketMs).unref(),
        setInterval(pacers.sweep, forgetAfter(timings)).unref(),
        setInterval(slots.renew, timings.slotRenewMs).unref(),
        setInterval(breakers.tick, Math.min(1_000, timings.probePermitMs / 4)).unref(),
      );
      await redis.start();
    },
    async stop() {
      for (const timer of timers.splice(0)) clearInterval(timer);
      breakers.close();
      await Promise.all([rate.close(), slots.close()]);
      await redis.stop();
    },
  };
}

const forgetAfter = ({ windowMs }: Timings): number => 2 * windowMs;
