import type { Log } from '@gateway/runtime';

export interface Outage {
  isOver(): boolean;
  begin(reason: string): void;
  /** False when there was none. */
  end(): boolean;
  /** Resolves when it has begun in earnest, when `settle` is called, or after `withinMs`. */
  settled(withinMs: number): Promise<void>;
  settle(): void;
  close(): void;
}

/**
 * Whether Redis is away. Starts as an outage that is not yet logged: Redis counts as away until it
 * has responded. Each outage is one warning in the log, each return one line.
 */
export function createOutage(log: Log): Outage {
  let isUp = false;
  let isLogged = false;
  let settle = (): void => undefined;
  return {
    isOver: () => isUp,
    begin(reason) {
      isUp = false;
      if (!isLogged) {
        log.warn('redis is down, each replica enforces its limits alone', { reason });
      }
      isLogged = true;
      settle();
    },
    end() {
      if (isUp) return false;
      isUp = true;
      if (isLogged) log.info('redis is back, limits are shared again');
      isLogged = false;
      return true;
    },
    settled: (withinMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        settle = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    settle: () => {
      settle();
    },
    close() {
      isUp = false;
    },
  };
}
