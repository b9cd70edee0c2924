import FakeTimers from '@sinonjs/fake-timers';

/** Time in which nothing happens by itself. Everything in this process that reads a clock reads it. */
export interface VirtualClock {
  now(): number;
  /** Goes on to what is due next and does it; false when nothing is. */
  next(): boolean;
  /** Gives the process its own time and dice back. */
  restore(): void;
}

/** Every world begins at the same moment, within the months for which the migrations make partitions. */
const beginning = Date.UTC(2026, 10, 25, 12);

const nextTurn = setImmediate;

/** The next turn of the event loop itself, which no clock holds up. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    nextTurn(resolve);
  });

/**
 * Takes `Date`, the timers, `performance.now` and `Math.random` of this process over. What Node itself
 * counts (streams, promises) goes on as it is: only waiting is virtual.
 */
export function takeOverTime(roll: () => number): VirtualClock {
  const clock = FakeTimers.install({
    now: beginning,
    toFake: [
      'Date',
      'setTimeout',
      'clearTimeout',
      'setInterval',
      'clearInterval',
      'setImmediate',
      'clearImmediate',
    ],
    // PostgreSQL in this process may have set one before.
    shouldClearNativeTimers: true,
  });
  const { random } = Math;
  const now = performance.now.bind(performance);
  const { timeout } = AbortSignal;
  Math.random = roll;
  performance.now = () => clock.now - beginning;
  // Node's own counts real time.
  AbortSignal.timeout = (ms) => {
    const ending = new AbortController();
    setTimeout(() => {
      ending.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    }, ms).unref();
    return ending.signal;
  };
  return {
    now: () => clock.now,
    next() {
      if (clock.countTimers() === 0) return false;
      clock.next();
      return true;
    },
    restore() {
      clock.uninstall();
      Math.random = random;
      performance.now = now;
      AbortSignal.timeout = timeout;
    },
  };
}
