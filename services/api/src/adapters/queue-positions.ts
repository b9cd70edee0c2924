import type { Task } from '@gateway/contracts';
import type { QueuePosition } from '@gateway/store';

export interface QueuePositionsOptions {
  /** Asks the database: at most about a thousand rows a task. */
  readonly ask: (taskIds: readonly string[]) => Promise<ReadonlyMap<string, QueuePosition>>;
  /** A monotonic clock. Default: the process's. */
  readonly nowMs?: () => number;
}

type Waiting = Pick<Task, 'id' | 'accountId' | 'vendor'>;

/** A line moves on: what stood far back may be told of again after this. */
const farForMs = 1_000;
const mostLines = 10_000;

/**
 * Turns until each of these tasks has its own; those that do not wait, or stand too far back to be
 * counted, are left out. Whoever stands behind a task that was far back is far back too: while an
 * account fills a line, the database is asked about its end once a second.
 */
export function createQueuePositions({
  ask,
  nowMs = () => performance.now(),
}: QueuePositionsOptions): (tasks: readonly Waiting[]) => Promise<ReadonlyMap<string, number>> {
  /** By line: from this task on. */
  const far = new Map<string, { readonly id: string; readonly untilMs: number }>();
  const isFar = (task: Waiting): boolean => {
    const known = far.get(lineOf(task));
    return known !== undefined && task.id >= known.id && nowMs() < known.untilMs;
  };
  const look = async (tasks: readonly Waiting[]): Promise<[string, number][]> => {
    const positions =
      tasks.length === 0 ? new Map<string, QueuePosition>() : await ask(tasks.map(({ id }) => id));
    return tasks.flatMap((task) => {
      const position = positions.get(task.id);
      if (position === 'far') {
        if (far.size >= mostLines) far.clear();
        far.set(lineOf(task), { id: task.id, untilMs: nowMs() + farForMs });
      }
      return typeof position === 'number' ? [[task.id, position] as [string, number]] : [];
    });
  };
  return async (tasks) => {
    // The first of each line tells whether the others have to be asked about.
    const first = firstOfLines(tasks.filter((task) => !isFar(task)));
    const found = await look(first);
    return new Map([
      ...found,
      ...(await look(tasks.filter((task) => !first.includes(task) && !isFar(task)))),
    ]);
  };
}

/**
 * The line of one vendor in which an account's tasks stand one behind the other, in the order of
 * their ids.
 */
const lineOf = ({ accountId, vendor: { provider } }: Waiting): string => `${accountId} ${provider}`;

function firstOfLines(tasks: readonly Waiting[]): Waiting[] {
  const first = new Map<string, Waiting>();
  for (const task of tasks) {
    if (task.id < (first.get(lineOf(task))?.id ?? '~')) first.set(lineOf(task), task);
  }
  return [...first.values()];
}
