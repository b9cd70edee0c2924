import { runAs } from '@gateway/runtime';
import type { SlotEntry } from './slot-serving.ts';

/** Idle slots that nobody waits for, on their way back. */
export interface SlotReturns {
  add(entry: SlotEntry): void;
}

/** Far less than a request of another replica waits for what is idle here. */
const returnMs = 20;

/**
 * Gives slots of many subjects back together: a trip to Redis for each request that has ended would
 * take its time from the next one.
 */
export function createSlotReturns(giveBack: (entry: SlotEntry) => void): SlotReturns {
  let due = new Set<SlotEntry>();
  const giveAllBack = (): void => {
    const entries = due;
    due = new Set();
    for (const entry of entries) giveBack(entry);
  };
  return {
    add(entry) {
      // Whoever comes first must not lend its trace to the others.
      if (due.size === 0) setTimeout(runAs, returnMs, undefined, giveAllBack).unref();
      due.add(entry);
    },
  };
}
