/**
 * Spaces pushes that were deferred at one receiver: they come back one after the other, about as
 * fast as slots become free.
 */
export interface Deferrals {
  /** An attempt at the receiver `key` begins; the returned function ends it. */
  begin(key: string): () => void;
  /** In how many milliseconds the next deferred push comes back. */
  nextAfterMs(key: string): number;
  size(): number;
}

interface Receiver {
  readonly startedAt: Set<{ readonly at: number }>;
  /** Of an attempt, in milliseconds; a moving average. */
  usualMs: number;
  /** When the last deferred push comes back. */
  lastAt: number;
}

const soonestMs = 20;
const latestMs = 300_000;
const usualAtFirstMs = 50;
const shortestStepMs = 1;
const longestStepMs = 2_000;

/**
 * The many deferred pushes that a broken receiver piles up must not keep the dispatcher busy
 * checking on them: the slower a receiver is, the further apart they come back. `maxInFlight` is
 * per receiver, `now` in milliseconds.
 */
export function createDeferrals({
  maxInFlight,
  now,
}: {
  readonly maxInFlight: number;
  readonly now: () => number;
}): Deferrals {
  const receivers = new Map<string, Receiver>();
  const receiverOf = (key: string): Receiver => {
    const known = receivers.get(key);
    if (known !== undefined) return known;
    const receiver: Receiver = { startedAt: new Set(), usualMs: usualAtFirstMs, lastAt: 0 };
    receivers.set(key, receiver);
    return receiver;
  };
  const forgetIdle = (key: string, receiver: Receiver): void => {
    if (
      receiver.startedAt.size === 0 &&
      receiver.lastAt <= now() &&
      receivers.get(key) === receiver
    ) {
      receivers.delete(key);
    }
  };
  return {
    begin(key) {
      const receiver = receiverOf(key);
      const start = { at: now() };
      receiver.startedAt.add(start);
      return () => {
        if (!receiver.startedAt.delete(start)) return;
        receiver.usualMs += 0.2 * (now() - start.at - receiver.usualMs);
        forgetIdle(key, receiver);
      };
    },
    nextAfterMs(key) {
      const receiver = receiverOf(key);
      const time = now();
      const [oldest] = receiver.startedAt; // a Set keeps its order
      const expectedMs = Math.max(receiver.usualMs, oldest === undefined ? 0 : time - oldest.at);
      const stepMs = Math.min(Math.max(expectedMs / maxInFlight, shortestStepMs), longestStepMs);
      receiver.lastAt = Math.min(Math.max(receiver.lastAt, time) + stepMs, time + latestMs);
      return Math.round(receiver.lastAt - time) + soonestMs;
    },
    size: () => receivers.size,
  };
}
