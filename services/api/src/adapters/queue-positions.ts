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
 * too: while an account fills a queue, the database is asked about its end once a second, also where
 * many tasks come at that moment.
 */
export function createQueuePositions({
  queuePositions,
  nowMs = () => performance.now(),
}: QueuePositionsOptions): (tasks: readonly Waiting[]) => Promise<ReadonlyMap<string, number>> {
  /** By queue: from this task on, until it has another. */
  const far = new Map<string, { readonly id: string; readonly untilMs: number }>();
  /** By queue that was far back a moment ago: the task that finds out whether it still is. */
  const asking = new Map<string, { readonly id: string; readonly isDone: Promise<unknown> }>();
  const isFar = (task: Waiting): boolean => {
    const known = far.get(queueOf(task));
    return known !== undefined && task.id >= known.id && nowMs() < known.untilMs;
  };
  const note = (task: Waiting, position: QueuePosition | undefined): void => {
    const queue = queueOf(task);
    if (position === 'far') {
      if (far.size >= mostQueues) far.clear();
      far.set(queue, { id: task.id, untilMs: nowMs() + farForMs });
    } else if (task.id >= (far.get(queue)?.id ?? '~')) far.delete(queue);
  };
  const read = async (tasks: readonly Waiting[]): Promise<[string, number][]> => {
    if (tasks.length === 0) return [];
    const positions = await queuePositions(tasks.map(({ id }) => id));
    return tasks.flatMap((task) => {
      const position = positions.get(task.id);
      note(task, position);
      return typeof position === 'number' ? [[task.id, position] as [string, number]] : [];
    });
  };
  /** The first of each queue tells whether the others need to be asked about. */
  const readFirst = async (first: readonly Waiting[]): Promise<[string, number][]> => {
    const found = read(first);
    const told = first.filter((task) => far.has(queueOf(task)) && !asking.has(queueOf(task)));
    const isDone = found.catch(() => undefined);
    for (const task of told) asking.set(queueOf(task), { id: task.id, isDone });
    try {
      return await found;
    } finally {
      for (const task of told) asking.delete(queueOf(task));
    }
  };
  const underWay = (task: Waiting): Promise<unknown>[] => {
    const other = asking.get(queueOf(task));
    return other !== undefined && task.id >= other.id ? [other.isDone] : [];
  };
  return async (tasks) => {
    const others = tasks.filter((task) => !isFar(task)).flatMap(underWay);
    if (others.length > 0) await Promise.all(others);
    const first = firstOfQueues(tasks.filter((task) => !isFar(task)));
    const found = await readFirst(first);
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
