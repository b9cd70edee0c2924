import { createBreakers, type BreakersPart } from '../../../packages/limits/src/breakers.ts';
import type { RedisConnection } from '../../../packages/limits/src/redis-connection.ts';
import { createSlots, type SlotsPart } from '../../../packages/limits/src/slots.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';

export interface LoneLimits {
  readonly slots: SlotsPart;
  readonly breakers: BreakersPart;
}

export interface BreakerTimes {
  readonly failuresToOpen: number;
  readonly coolDownMs: number;
  readonly longestCoolDownMs: number;
}

/** Redis is away for them all the time. */
const nobody: RedisConnection = {
  isUp: () => false,
  run: () => Promise.reject(new Error('redis is away')),
  tell: () => undefined,
  onUp: () => undefined,
  onMessage: () => undefined,
  check: () => Promise.reject(new Error('redis is away')),
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};

/** The limits of the product as each replica keeps them alone while Redis is away. */
export function createLoneLimits(
  { now, dice }: Pick<World, 'now' | 'dice'>,
  life: Life,
  times: BreakerTimes,
): LoneLimits {
  const common = { redis: nobody, now, replicaId: life.name, forgetAfterMs: 600_000 };
  const breakers = createBreakers({
    ...common,
    rules: { ...times, probeMs: 30_000 },
    permitMs: 10_000,
    random: dice.roll,
  });
  const slots = createSlots({
    ...common,
    leaseMs: 15_000,
    wantedMs: 5_000,
    retryMs: 20,
    patienceMs: 60,
  });
  return { slots, breakers };
}
