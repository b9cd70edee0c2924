import { performance } from 'node:perf_hooks';
import type { Log, Part } from '@gateway/runtime';
import { createCircuits, type Circuits } from './circuits.ts';
import { createLink } from './link.ts';
import { createPaces, type Paces } from './paces.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { createSlots, type Slots } from './slots.ts';

export interface SharedLimits {
  readonly rate: RateLimits;
  readonly paces: Paces;
  readonly slots: Slots;
  readonly circuits: Circuits;
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
  readonly circuits?: { readonly failuresToOpen?: number; readonly coolDownMs?: number };
  readonly timings?: Partial<Timings>;
}

/** All in ms. */
export interface Timings {
  /** Of the request rate. */
  readonly windowMs: number;
  /** The grain in which the window slides: a divisor of it. */
  readonly bucketMs: number;
  /** A replica that is not heard of for so long holds no slots. */
  readonly slotLeaseMs: number;
  readonly slotRenewMs: number;
  /** How long a replica keeps no idle slots after another was refused one. */
  readonly slotWantedMs: number;
  readonly slotLookAgainMs: number;
  /** How long a request may wait for what other replicas keep idle. */
  readonly slotPatienceMs: number;
  readonly longestCoolDownMs: number;
  /** A probe that nobody says the outcome of is given up after this. */
  readonly probeMs: number;
  /** How long leave to probe lasts when the replica that has it dies. */
  readonly probeLeaveMs: number;
  /** Redis is away when it has not answered after this. */
  readonly commandTimeoutMs: number;
}

const usualTimings: Timings = {
  windowMs: 60_000,
  bucketMs: 2_000,
  slotLeaseMs: 15_000,
  slotRenewMs: 5_000,
  slotWantedMs: 5_000,
  slotLookAgainMs: 20,
  slotPatienceMs: 60,
  longestCoolDownMs: 60_000,
  probeMs: 30_000,
  probeLeaveMs: 10_000,
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
  const { redisUrl, replicaId, log, now = () => performance.now() } = options;
  const timings = { ...usualTimings, ...options.timings };
  const link = createLink({
    redisUrl,
    prefix: `${options.prefix}:${keyVersion}`,
    replicaId,
    log,
    commandTimeoutMs: timings.commandTimeoutMs,
  });
  const forgetAfterMs = 2 * timings.windowMs;
  const rate = createRateLimits({
    link,
    now,
    windowMs: timings.windowMs,
    bucketMs: timings.bucketMs,
  });
  const slots = createSlots({
    link,
    now,
    replicaId,
    forgetAfterMs,
    leaseMs: timings.slotLeaseMs,
    wantedMs: timings.slotWantedMs,
    lookAgainMs: timings.slotLookAgainMs,
    patienceMs: timings.slotPatienceMs,
  });
  const paces = createPaces({ link, now, forgetAfterMs });
  const { failuresToOpen = 5, coolDownMs = 10_000 } = options.circuits ?? {};
  const rules = {
    failuresToOpen,
    coolDownMs,
    longestCoolDownMs: timings.longestCoolDownMs,
    probeMs: timings.probeMs,
  };
  const circuits = createCircuits({
    link,
    now,
    replicaId,
    forgetAfterMs,
    rules,
    leaveMs: timings.probeLeaveMs,
  });
  const timers: NodeJS.Timeout[] = [];
  return {
    rate,
    paces,
    slots,
    circuits,
    check: () => link.check(),
    part: {
      name: 'shared limits',
      async start() {
        timers.push(
          setInterval(rate.sweep, timings.bucketMs).unref(),
          setInterval(paces.sweep, forgetAfterMs).unref(),
          setInterval(slots.renew, timings.slotRenewMs).unref(),
          setInterval(circuits.tick, Math.min(1_000, timings.probeLeaveMs / 4)).unref(),
        );
        await link.start();
      },
      async stop() {
        for (const timer of timers.splice(0)) clearInterval(timer);
        circuits.close();
        await Promise.all([rate.close(), slots.close()]);
        await link.stop();
      },
    },
  };
}
