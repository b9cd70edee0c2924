import { createSharedClock, type Log, type SharedClock } from '@gateway/runtime';
import type { Database } from '@gateway/store';
import { createRegistry } from '../../../packages/runtime/src/metrics/metrics.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';

export type ReplicaClock = Pick<SharedClock, 'now' | 'date' | 'isRight'>;

interface ClockOptions {
  readonly world: World;
  readonly life: Life;
  readonly database: Pick<Database, 'readTime'>;
  /** How far the machine's own clock is ahead. */
  readonly skewMs: () => number;
  readonly log: Log;
}

const maxOffsetMs = 2_000;
const readAgainMs = 1_000;

/** What a machine's clock says, right or wrong. */
export const createMachineClock = ({ now }: World, skewMs: () => number): ReplicaClock => ({
  now: () => now() + skewMs(),
  date: () => new Date(now() + skewMs()),
  isRight: () => true,
});

/** The product's clock of one life, which goes by the database's as soon as it has read that. */
export function createReplicaClock(options: ClockOptions): ReplicaClock {
  const { world, life, database, skewMs, log } = options;
  const clock = createSharedClock({
    database,
    settings: { CLOCK_MAX_OFFSET_MS: maxOffsetMs },
    metrics: createRegistry('simulated'),
    log,
    wall: () => world.now() + skewMs(),
    monotonic: world.now,
  });
  const read = async (): Promise<void> => {
    while (clock.offsetMs() === undefined) {
      // Rejects also where the clock was read, and is wrong.
      await clock.check().catch(() => undefined);
      if (clock.offsetMs() === undefined) await life.pause(readAgainMs);
    }
  };
  void read();
  return clock;
}
