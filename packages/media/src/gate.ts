/** Runs a piece of work when there is capacity for it; rejects with the signal's reason before that. */
export type Gate = <Value>(work: () => Promise<Value>, signal?: AbortSignal) => Promise<Value>;

/**
 * Runs at most `width` pieces of work at once; the others wait. Bounds the memory that they take
 * together.
 */
export function createGate(width: number): Gate {
  const waiting = new Set<() => void>();
  let inside = 0;
  return async (work, signal) => {
    signal?.throwIfAborted();
    if (inside < width) inside += 1;
    else await turnIn(waiting, signal);
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) inside -= 1;
      else next();
    }
  };
}

/** Whoever leaves hands its capacity to the first that waits, which is out of the queue by then. */
const turnIn = (waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const enter = (): void => {
      waiting.delete(enter);
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      waiting.delete(enter);
      reject(signal?.reason as Error);
    };
    waiting.add(enter);
    signal?.addEventListener('abort', leave, { once: true });
  });
