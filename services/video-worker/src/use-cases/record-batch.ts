import type { Task } from '@gateway/contracts';
import { isTerminal } from '@gateway/domain';
import { runWith } from '@gateway/runtime';
import type { PollOutcome } from '@gateway/video-providers';
import type { LeaveRoute } from './leave-route.ts';
import { recordPolledEnd, type VendorEnd } from './poll-task.ts';
import type { Clock, Moves } from './ports.ts';

/** A task that is polled, as the vendor's list names it. */
export interface ListedTask {
  readonly id: string;
  readonly vendorTaskId: string;
}

export interface RecordBatchPorts {
  readonly find: (taskId: string) => Promise<Task | undefined>;
  readonly moves: Moves;
  readonly leaveRoute: LeaveRoute;
  /** Brings a task's job forward to now; never throws. */
  readonly hurry: (task: Task) => Promise<void>;
  readonly clock: Clock;
}

/** Throws the first failure, after every end was tried. */
export type RecordBatch = (
  tasks: readonly ListedTask[],
  outcomes: ReadonlyMap<string, PollOutcome>,
) => Promise<void>;

/** Tasks of one response that are written at the same time: they share the database. */
const writesAtOnce = 8;

/** Records those outcomes of a batch poll that say a task is over at the vendor. */
export function createRecordBatch({
  find,
  hurry,
  clock,
  ...writes
}: RecordBatchPorts): RecordBatch {
  return async (tasks, outcomes) => {
    const ended = tasks.flatMap((task) => endOf(task, outcomes.get(task.vendorTaskId)));
    const failed: unknown[] = [];
    for (let start = 0; start < ended.length; start += writesAtOnce) {
      const settled = await Promise.allSettled(
        ended.slice(start, start + writesAtOnce).map(({ task, end }) => record(task, end)),
      );
      failed.push(
        ...settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
      );
    }
    if (failed.length > 0) throw failed[0];
  };

  async function record({ id, vendorTaskId }: ListedTask, end: VendorEnd): Promise<void> {
    const task = await find(id);
    if (task === undefined || !isStillPolled(task, vendorTaskId, clock.now())) return;
    await runWith({ requestId: task.requestId, taskId: task.id }, async () => {
      if (!isDoubtful(end)) await recordPolledEnd(task, end, writes);
      await hurry(task);
    });
  }
}

const endOf = (
  task: ListedTask,
  outcome: PollOutcome | undefined,
): { task: ListedTask; end: VendorEnd }[] =>
  outcome?.kind === 'succeeded' || outcome?.kind === 'failed' ? [{ task, end: outcome }] : [];

/**
 * A task that failed before has a pause of its own, its deadline is its own job's business, and a
 * list says nothing about another vendor task.
 */
const isStillPolled = (task: Task, vendorTaskId: string, now: number): boolean =>
  task.step === 'poll' &&
  !isTerminal(task.status) &&
  task.stepFailures === 0 &&
  now < task.expiresAt.getTime() &&
  task.vendor.taskId === vendorTaskId;

/** A list may leave fields out: only a poll of the task itself can say that a file is missing. */
const isDoubtful = (end: VendorEnd): boolean =>
  end.kind === 'failed' && end.failure === 'no_output';
