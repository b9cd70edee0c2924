import { createDice, type Dice } from '../../chaos/random.ts';
import { takeOverTime, turn } from './clock.ts';
import { createTrace, type Trace } from './trace.ts';

/**
 * One seed's world: its time, its dice and its story. Whatever takes time there waits a while that the
 * dice chose, so the seed decides which of the pending steps goes on next.
 */
export interface World {
  readonly seed: number;
  readonly dice: Dice;
  readonly trace: Trace;
  now(): number;
  pause(ms: number): Promise<void>;
  /** A whole number of ms; most are short, some are long. */
  latency(): number;
  /** Counts as under way what does not wait for virtual time: the world stands still meanwhile. */
  atWork<Result>(work: Promise<Result>): Promise<Result>;
  /** Goes on until this is true, or so much time has passed there; says which. */
  runUntil(isOver: () => boolean, withinMs: number): Promise<boolean>;
  end(): void;
}

export function createWorld(seed: number, { keepsTrace = false } = {}): World {
  const dice = createDice(seed);
  // Of their own, so that what a library rolls changes nothing else.
  const others = createDice(seed ^ 0x5eed);
  const clock = takeOverTime(others.roll);
  const trace = createTrace({ keeps: keepsTrace, now: clock.now });
  let underWay = 0;
  const settled = async (): Promise<void> => {
    do await turn();
    while (underWay > 0);
  };
  return {
    seed,
    dice,
    trace,
    now: clock.now,
    pause: (ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      }),
    latency: () => (dice.chance(0.02) ? dice.between(200, 3_000) : dice.between(1, 25)),
    atWork(work) {
      underWay += 1;
      return work.finally(() => {
        underWay -= 1;
      });
    },
    async runUntil(isOver, withinMs) {
      const end = clock.now() + withinMs;
      await settled();
      while (!isOver()) {
        if (clock.now() > end || !clock.next()) return false;
        await settled();
      }
      return true;
    },
    end: clock.restore,
  };
}
