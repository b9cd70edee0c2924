import { failures } from '../tasks/outcome.ts';
import type { Task, TaskFailure } from '../tasks/task.ts';
import type { ShownTask, VendorTable } from './table.ts';

type Words = Pick<VendorTable, 'statuses' | 'failures'>;

const nameOfCode: ReadonlyMap<string, keyof typeof failures> = new Map(
  Object.entries(failures).map(([name, { code }]) => [code, name as keyof typeof failures]),
);

/** The sandbox's own code of a failure, in the vendor's words. */
const failureOf = ({ error }: Task, words: Words): TaskFailure | undefined =>
  error && words.failures[nameOfCode.get(error.code) ?? 'internal'];

/** A task as its vendor's table sees it, with another status than its own when one is given. */
export function shownTask(task: Task, words: Words, status?: string): ShownTask {
  const { echo } = task.parameters;
  return {
    task,
    status: status ?? words.statuses[task.status],
    failure: failureOf(task, words),
    seconds: task.reportedSeconds ?? task.parameters.seconds,
    videoUrl: task.output?.videoUrl,
    echo,
    quirks: (echo['quirks'] ?? {}) as ShownTask['quirks'],
  };
}
