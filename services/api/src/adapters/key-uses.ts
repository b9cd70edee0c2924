import type { KeyUses } from '@gateway/store';
import { intervalPart, type Log, type Part } from '@gateway/runtime';

/** How long uses are collected; the store writes each key at most once a minute. */
const gatherMs = 15_000;
/** A statement's time grows with its keys, and one that takes too long would never get done. */
const keysAtOnce = 500;

export interface KeyUseNotes {
  /** Costs one entry of a map. */
  note(keyId: string): void;
  /** Saves what was noted; what could not be saved waits for the next flush. */
  flush(): Promise<void>;
  readonly part: Part;
}

/**
 * Remembers which keys were used and when last, and saves that from time to time. A kill -9 loses
 * the uses of the last seconds.
 */
export function createKeyUseNotes({
  save,
  log,
  now,
}: {
  readonly save: KeyUses['save'];
  readonly log: Log;
  readonly now: () => number;
}): KeyUseNotes {
  let noted = new Map<string, number>();
  const flush = async (): Promise<void> => {
    if (noted.size === 0) return;
    const gathered = [...noted];
    noted = new Map();
    for (let begin = 0; begin < gathered.length; begin += keysAtOnce) {
      const some = gathered.slice(begin, begin + keysAtOnce);
      try {
        await save(some.map(([keyId, at]) => ({ keyId, at: new Date(at) })));
      } catch (error) {
        noted = new Map([...gathered.slice(begin), ...noted]);
        throw error;
      }
    }
  };
  const interval = intervalPart({
    name: 'note the use of keys',
    everyMs: gatherMs,
    work: flush,
    log,
  });
  return {
    note: (keyId) => {
      noted.set(keyId, now());
    },
    flush,
    part: {
      ...interval,
      async stop() {
        await interval.stop();
        await flush().catch(() => undefined); // a stop does not wait for it
      },
    },
  };
}
