/** The present, told to all who follow it by one timer. */
export interface Ticker {
  /** The moment of the last tick, or the present while nobody follows. */
  now(): number;
  follow(listener: () => void): () => void;
}

/** Ticks only while somebody follows: a list of thousands of rows has one timer, not thousands. */
export function createTicker(everyMs: number): Ticker {
  const listeners = new Set<() => void>();
  let running: { readonly timer: ReturnType<typeof setInterval>; now: number } | undefined;
  const tick = (): void => {
    if (running !== undefined) running.now = Date.now();
    for (const listener of listeners) listener();
  };
  return {
    now: () => running?.now ?? Date.now(),
    follow(listener) {
      listeners.add(listener);
      running ??= { timer: setInterval(tick, everyMs), now: Date.now() };
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0 || running === undefined) return;
        clearInterval(running.timer);
        running = undefined;
      };
    },
  };
}
