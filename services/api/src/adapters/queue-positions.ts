import type { Task } from '@gateway/contracts';
import type { QueuePosition, TaskLists } from '@gateway/store';

export interface QueuePositionsOptions {
  /** Reads at most about a thousand rows a task. */
  readonly queuePositions: TaskLists['queuePositions'];
  /** A monotonic clock. Default: the process's. */
  readonly nowMs?: () => number;
}

type Waiting = Pick<Task, 'id' | 'accountId' | 'vendor'>;

/** A queue moves on: a task that was far back is asked about again after this. */
const farForMs = 1_000;
const mostQueues = 10_000;

/**
 * Positions in the vendor queues: turns until each task has its own. Tasks that do not wait, or are
 * too far back to be counted, are left out. Whatever is behind a task that was far back is far back
 * too: while an account fills a queue, the database is asked about its end once a second.
 */
export function createQueuePositions({
  queuePositions,
  nowMs = () => performance.now(),
}: QueuePositionsOptions): (tasks: readonly Waiting[]) => Promise<ReadonlyMap<string, number>> {
  /** By queue: from this task on. */
  const far = new Map<string, { readonly id: string; readonly untilMs: number }>();
  const isFar = (task: Waiting): boolean => {
    const known = far.get(queueOf(task));
    return known !== undefined && task.id >= known.id && nowMs() < known.untilMs;
  };
  const read = async (tasks: readonly Waiting[]): Promise<[string, number][]> => {
    const positions =
      tasks.length === 0
        ? new Map<string, QueuePosition>()
        : await queuePositions(tasks.map(({ id }) => id));
    return tasks.flatMap((task) => {
      const position = positions.get(task.id);
      if (position === 'far') {
        if (far.size >= mostQueues) far.clear();
        far.set(queueOf(task), { id: task.id, untilMs: nowMs() + farForMs });
      }
      return typeof position === 'number' ? [[task.id, position] as [string, number]] : [];
    });
  };
  return async (tasks) => {
    // The first of each queue tells whether the others need to be asked about.
    const first = firstOfQueues(tasks.filter((task) => !isFar(task)));
    const found = await read(first);
    return new Map([
      ...found,
      ...(await read(tasks.filter((task) => !first.includes(task) && !isFar(task)))),
    ]);
  };
}

/** The part of a vendor's queue that holds one account's tasks, in the order of their ids. */
const queueOf = ({ accountId, vendor: { provider } }: Waiting): string =>
  `${accountId} ${provider}`;

function firstOfQueues(tasks: readonly Waiting[]): Waiting[] {
  const first = new Map<string, Waiting>();
  for (const task of tasks) {
    if (task.id < (first.get(queueOf(task))?.id ?? '~')) first.set(queueOf(task), task);
  }
  return [...first.values()];
}
