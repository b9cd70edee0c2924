import { describe, expect, it } from '@jest/globals';
import { createBreakers } from '../../../packages/limits/src/breakers.ts';
import type { RedisConnection } from '../../../packages/limits/src/redis-connection.ts';
import { createRateLimits } from '../../../packages/limits/src/rate-limits.ts';
import { createSlots } from '../../../packages/limits/src/slots.ts';

const windowMs = 60_000;

/** A connection that grants everything asked for, or is down. */
const redisThat = ({ isUp }: { readonly isUp: boolean }): RedisConnection => ({
  isUp: () => isUp,
  run: ({ script, values = [] }) =>
    Promise.resolve(
      script === 'takeRate'
        ? [values[1], 5, 1, 1_000, windowMs]
        : [Number(values[2]) + Number(values[3]), 0],
    ),
  tell: () => undefined,
  onUp: () => undefined,
  onMessage: () => undefined,
  check: () => Promise.resolve(),
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
});

const subjects = Array.from({ length: 100 }, (_, index) => `key_${index}`);

describe.each([{ isUp: true }, { isUp: false }])(
  'subjects that are idle for two windows (%o)',
  ({ isUp }) => {
    const redis = redisThat({ isUp });
    let time = 0;
    const now = (): number => time;

    it('are forgotten by the request rate', async () => {
      const rate = createRateLimits({ redis, now, windowMs, bucketMs: 2_000 });
      for (const subject of subjects) await rate.take(subject, 10);
      time += 2 * windowMs;
      await rate.take('busy', 10);
      rate.sweep();
      const before = rate.size();
      time += 1;
      rate.sweep();

      expect([before, rate.size()]).toEqual([101, 1]);
    });

    it('are forgotten by the slots, unless one is in use', async () => {
      const slots = createSlots({
        redis,
        now,
        replicaId: 'one',
        leaseMs: 15_000,
        wantedMs: 5_000,
        retryMs: 20,
        patienceMs: 60,
        forgetAfterMs: 2 * windowMs,
      });
      for (const subject of subjects) (await slots.acquire(subject, 10))?.release();
      await slots.acquire('busy', 10);
      await Promise.resolve();
      time += 2 * windowMs + 1;
      for (let round = 0; round < 3; round += 1) {
        slots.renew();
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }

      expect(slots.size()).toBe(1);
    });

    it('are forgotten by the breakers', () => {
      const breakers = createBreakers({
        redis,
        now,
        replicaId: 'one',
        permitMs: 10_000,
        forgetAfterMs: 2 * windowMs,
        rules: {
          failuresToOpen: 5,
          coolDownMs: 10_000,
          longestCoolDownMs: 60_000,
          probeMs: 30_000,
        },
      });
      for (const subject of subjects) breakers.succeeded(subject);
      time += 2 * windowMs + 1;
      breakers.mayTry('busy');
      breakers.tick();

      expect([...breakers.states()]).toEqual([['busy', 'closed']]);
    });
  },
);
