/** Gives a slot back; calling it again does nothing. */
export type Release = () => void;

export interface RunningSlots {
  /**
   * Waits for a slot: higher priority first, then first come, first served. Rejects when the signal
   * is aborted.
   */
  take(priority: number, signal: AbortSignal): Promise<Release>;
}

interface Waiting {
  readonly priority: number;
  readonly grant: () => void;
}

/** At most so many tasks run at once; the others wait. */
export function createRunningSlots(limit: number): RunningSlots {
  const waiting: Waiting[] = [];
  let taken = 0;

  const pump = (): void => {
    while (taken < limit) {
      const first = waiting.reduce<Waiting | undefined>(
        (best, one) => (best === undefined || one.priority > best.priority ? one : best),
        undefined,
      );
      if (first === undefined) return;
      waiting.splice(waiting.indexOf(first), 1);
      taken += 1;
      first.grant();
    }
  };
  const release = (): Release => {
    let held = true;
    return () => {
      if (held) taken -= 1;
      held = false;
      pump();
    };
  };

  return {
    take: (priority, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const give = (): void => {
          const index = waiting.indexOf(one);
          if (index >= 0) waiting.splice(index, 1);
          reject(signal.reason as Error);
        };
        const one: Waiting = {
          priority,
          grant: () => {
            signal.removeEventListener('abort', give);
            resolve(release());
          },
        };
        signal.addEventListener('abort', give, { once: true });
        waiting.push(one);
        pump();
      }),
  };
}
