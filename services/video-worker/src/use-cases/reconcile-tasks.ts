export interface ReconcileTasksPorts {
  /** Unfinished tasks with ids above `after`, in order. */
  readonly unfinishedTasks: (
    after: string,
    limit: number,
  ) => Promise<readonly { readonly id: string; readonly isAtIngest: boolean }[]>;
  /** Ids of tasks whose deadline passed while they waited in line. */
  readonly overdueInQueue: (limit: number) => Promise<string[]>;
  /** A no-op for a task whose job lives, the repair for one whose job is gone. */
  readonly wakeAll: (taskIds: readonly string[]) => Promise<void>;
  /** Brings those forward whose job is put off for longer. */
  readonly bringForward: (
    taskIds: readonly string[],
    options: { readonly beyondMs: number },
  ) => Promise<void>;
}

const pageSize = 1_000;
/**
 * Longer than a look ever puts a task off that is at `ingest`: the end of this one came from a
 * list, and the wake-up after it was lost.
 */
const longestIngestPauseMs = 60_000;

/**
 * Gives every task that is due its job again, whatever the queue believes; who waits in line has
 * none. Safe on several replicas at once.
 */
export function createReconcileTasks({
  unfinishedTasks,
  overdueInQueue,
  wakeAll,
  bringForward,
}: ReconcileTasksPorts): () => Promise<void> {
  return async () => {
    const overdue = await overdueInQueue(pageSize);
    if (overdue.length > 0) await wakeAll(overdue);
    let after = '';
    for (;;) {
      const page = await unfinishedTasks(after, pageSize);
      if (page.length > 0) await wakeAll(page.map(({ id }) => id));
      const atIngest = page.filter(({ isAtIngest }) => isAtIngest).map(({ id }) => id);
      if (atIngest.length > 0) await bringForward(atIngest, { beyondMs: longestIngestPauseMs });
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      after = last.id;
    }
  };
}
