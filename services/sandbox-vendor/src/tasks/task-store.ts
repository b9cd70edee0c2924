import type { Journal } from './journal.ts';
import { isTerminal, taskStatuses, type Task, type TaskStatus } from './task.ts';

export interface TaskQuery {
  readonly page: number;
  readonly pageSize: number;
  /** Left out: tasks of every wire format. */
  readonly format?: string;
  readonly status?: TaskStatus;
  readonly taskIds?: readonly string[];
  readonly model?: string;
  readonly serviceTier?: string;
}

export interface TaskStore {
  has(taskId: string): boolean;
  get(taskId: string): Task | undefined;
  put(task: Task): void;
  remove(taskId: string): void;
  /** Newest first, with the number of all that match. */
  list(query: TaskQuery): { readonly total: number; readonly tasks: readonly Task[] };
  /** Every task, oldest first. */
  all(): readonly Task[];
  counts(): Readonly<Record<TaskStatus, number>>;
  clear(): void;
}

interface TaskStoreOptions {
  readonly journal: Journal;
  readonly maxTasks: number;
  readonly now: () => number;
}

const dayMs = 86_400_000;
/** Documented: records live seven days, cancelled ones one day. */
const lifeMs = (status: TaskStatus): number => (status === 'cancelled' ? dayMs : 7 * dayMs);

const isForgotten = ({ status, createdAtMs, updatedAtMs }: Task, nowMs: number): boolean =>
  nowMs - (status === 'cancelled' ? updatedAtMs : createdAtMs) > lifeMs(status);

/** The vendor's tasks in memory, as many as fit; the oldest finished ones are forgotten first. */
export function createTaskStore({ journal, maxTasks, now }: TaskStoreOptions): TaskStore {
  const tasks = new Map(journal.load().map((task) => [task.id, task]));

  const remove = (taskId: string): void => {
    if (tasks.delete(taskId)) journal.remove(taskId);
  };
  const makeSpace = (): void => {
    if (tasks.size <= maxTasks) return;
    for (const { id, status } of tasks.values()) {
      if (isTerminal(status)) remove(id);
      if (tasks.size <= maxTasks) return;
    }
  };
  const get = (taskId: string): Task | undefined => {
    const task = tasks.get(taskId);
    if (task === undefined || !isForgotten(task, now())) return task;
    remove(taskId);
    return undefined;
  };
  const known = (): readonly Task[] =>
    [...tasks.values()].filter((task) => !isForgotten(task, now()));
  /** A few of very many, without a walk through all. */
  const asked = (taskIds: readonly string[]): readonly Task[] =>
    [...new Set(taskIds)]
      .flatMap((taskId) => get(taskId) ?? [])
      .sort((one, other) => one.createdAtMs - other.createdAtMs);

  return {
    has: (taskId) => tasks.has(taskId),
    get,
    put(task) {
      tasks.set(task.id, task);
      journal.save(task);
      makeSpace();
    },
    remove,
    list(query) {
      const tasks = query.taskIds === undefined ? known() : asked(query.taskIds);
      const matching = tasks.filter(matches(query)).reverse();
      const first = (query.page - 1) * query.pageSize;
      return { total: matching.length, tasks: matching.slice(first, first + query.pageSize) };
    },
    all: known,
    counts() {
      const counts = Object.fromEntries(taskStatuses.map((status) => [status, 0])) as Record<
        TaskStatus,
        number
      >;
      for (const { status } of known()) counts[status] += 1;
      return counts;
    },
    clear() {
      tasks.clear();
      journal.clear();
    },
  };
}

function matches({ format, status, model, serviceTier }: TaskQuery): (task: Task) => boolean {
  return (task) =>
    (format === undefined || task.format === format) &&
    (status === undefined || task.status === status) &&
    (model === undefined || task.requestedModel === model || task.model === model) &&
    (serviceTier === undefined || task.parameters.serviceTier === serviceTier);
}
