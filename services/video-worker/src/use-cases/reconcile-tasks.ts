export interface ReconcileTasksPorts {
  /** Ids of unfinished tasks above `after`, in order. */
  readonly unfinishedTasks: (after: string, limit: number) => Promise<string[]>;
  /** Ids of tasks whose deadline passed while they waited in line. */
  readonly overdueInLine: (limit: number) => Promise<string[]>;
  /** A no-op for a task whose job lives, the repair for one whose job is gone. */
  readonly wakeAll: (taskIds: readonly string[]) => Promise<void>;
}

const pageSize = 1_000;

/** Gives every task that is due its job again, whatever the queue believes; who waits in line has none. Safe on several replicas at once. */
export function createReconcileTasks({ unfinishedTasks, overdueInLine, wakeAll }: ReconcileTasksPorts): () => Promise<void> {
  return async () => {
    const overdue = await overdueInLine(pageSize);
    if (overdue.length > 0) await wakeAll(overdue);
    let after = '';
    for (;;) {
      const page = await unfinishedTasks(after, pageSize);
      if (page.length > 0) await wakeAll(page);
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      after = last;
    }
  };
}
