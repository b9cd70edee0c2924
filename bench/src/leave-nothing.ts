import { constants } from 'node:os';

type Stop = () => Promise<void>;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A terminal and npm both hand on one Ctrl-C. */
const sameRequestMs = 1_000;

const open = new Set<Stop>();
const interruption = new AbortController();

/** Fires at the first Ctrl-C: whoever is still bringing something up gives up. */
export const interrupted = interruption.signal;

/**
 * Has `stop` called at a Ctrl-C, unless it was called before; returns it, made so that it runs once
 * however often it is called.
 */
export function leaveNothing(stop: Stop): Stop {
  let stopping: Promise<void> | undefined;
  const once: Stop = () => {
    stopping ??= stop().finally(() => {
      open.delete(once);
    });
    return stopping;
  };
  open.add(once);
  return once;
}

/**
 * From now on a Ctrl-C, SIGTERM or closed terminal stops everything that is up before this process
 * ends; a second one ends it at once.
 */
export function stopAtSignals(): void {
  let firstAt: number | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      const code = 128 + constants.signals[signal];
      if (firstAt !== undefined) {
        if (performance.now() - firstAt > sameRequestMs) process.exit(code);
        return;
      }
      firstAt = performance.now();
      console.error('stopping what the bench has started');
      // What is being measured fails while its parts go away: that is no news any more.
      for (const event of ['uncaughtException', 'unhandledRejection']) {
        process.on(event, () => undefined);
      }
      interruption.abort();
      void Promise.allSettled([...open].reverse().map((stop) => stop())).then(() =>
        process.exit(code),
      );
    });
  }
}
