import type { Work } from '@gateway/store';

export interface ReconcileTasksPorts extends Pick<Work, 'unfinishedTasks' | 'overdueInQueue'> {
  /** A no-op for a task whose job lives, the repair for one whose job is gone. */
  readonly wakeAll: (taskIds: readonly string[]) => Promise<void>;
  /** Brings those jobs forward that are delayed by more than `beyondMs`. */
  readonly bringForward: (
    taskIds: readonly string[],
    options: { readonly beyondMs: number },
  ) => Promise<void>;
  /** The same for all jobs, however few or many. */
  readonly bringAllForward: (options: { readonly beyondMs: number }) => Promise<void>;
  /** Longer than any step delays a task just now, in ms. */
  readonly longestPauseMs: () => Promise<number>;
}

const pageSize = 1_000;
/**
 * Longer than a task waits for the first copy of its files: its end came from a batch poll, and the
 * wake-up after it was lost.
 */
const longestFirstIngestPauseMs = 60_000;

/**
 * Gives every task that is due its job again, whatever the queue believes; tasks that wait in a
 * vendor queue have none. Safe on several replicas at once.
 */
export function createReconcileTasks({
  unfinishedTasks,
  overdueInQueue,
  wakeAll,
  bringForward,
  bringAllForward,
  longestPauseMs,
}: ReconcileTasksPorts): () => Promise<void> {
  return async () => {
    const overdue = await overdueInQueue(pageSize);
    if (overdue.length > 0) await wakeAll(overdue);
    let after = '';
    for (;;) {
      const page = await unfinishedTasks(after, pageSize);
      if (page.length > 0) await wakeAll(page.map(({ id }) => id));
      const fresh = page.filter(({ isFreshAtIngest }) => isFreshAtIngest).map(({ id }) => id);
      if (fresh.length > 0) await bringForward(fresh, { beyondMs: longestFirstIngestPauseMs });
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) break;
      after = last.id;
    }
    // Put off by a clock that was wrong, or under a configuration that is not in force any more.
    await bringAllForward({ beyondMs: await longestPauseMs() });
  };
}
