import type { Callbacks } from '@gateway/store';

export interface SweepDuePorts extends Pick<Callbacks, 'findDue' | 'findAsked'> {
  /** Waking one whose job lives is a no-op. */
  readonly wakeAll: (taskIds: readonly string[]) => Promise<void>;
  /** Wakes, and brings a delivery forward that waits for a retry. */
  readonly hurry: (taskId: string) => Promise<void>;
}

const pageSize = 1_000;
/**
 * Bounds what one round asks of Redis while there is a backlog; the next round goes on where this
 * one ended.
 */
const pagesPerRound = 10;
/** In one round. */
const mostHurried = 100;
/** A retry that has just become due is about to be woken by its own delayed job. */
const graceMs = 1_000;

/**
 * One round of the reconciler: wakes what the tables say is due, whatever the queue has lost. Safe
 * in any number of processes at once, so nobody leads.
 */
export function createSweepDue({
  findDue,
  wakeAll,
  findAsked,
  hurry,
}: SweepDuePorts): () => Promise<void> {
  let after = '';
  return async () => {
    await Promise.all((await findAsked(mostHurried)).map(hurry));
    for (let page = 0; page < pagesPerRound; page += 1) {
      const taskIds = await findDue({ after, limit: pageSize, graceMs });
      if (taskIds.length > 0) await wakeAll(taskIds);
      after = taskIds.length === pageSize ? (taskIds.at(-1) ?? '') : '';
      if (after === '') return;
    }
  };
}
