import { countUnexpected, isUnexpected } from '../faults/index.ts';
import type { Log } from '../log.ts';
import type { Part } from './part.ts';

export interface IntervalOptions {
  readonly name: string;
  readonly everyMs: number;
  readonly work: () => Promise<void>;
  readonly log: Log;
}

/**
 * Work that is done again and again, never twice at once, with the first round right at the start.
 * A failed round is logged and the next one comes.
 */
export function intervalPart({ name, everyMs, work, log }: IntervalOptions): Part {
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();
  let stopped = false;
  const run = (): void => {
    // Also what it throws at once is a failed round.
    round = new Promise<void>((resolve) => {
      resolve(work());
    })
      .catch((error: unknown) => {
        if (isUnexpected(error)) countUnexpected('background');
        log.error('periodic work failed', { work: name, error });
      })
      .then(() => {
        if (!stopped) timer = setTimeout(run, everyMs * (0.9 + 0.2 * Math.random()));
      });
  };
  return {
    name,
    start() {
      run();
      return Promise.resolve();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
