import type { Task } from '@gateway/contracts';
import { backoffDelayMs, nextPollDelayMs, scaledCost } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { PollOutcome } from '@gateway/video-providers';
import type { Step } from './advance-task.ts';
import { endCancelled } from './cancel-task.ts';
import type { LeaveRoute } from './leave-route.ts';
import {
  moved,
  over,
  wait,
  type Clock,
  type Moves,
  type StepOutcome,
  type Vendor,
} from './ports.ts';
import { fail } from './submit-task.ts';

export interface PollTaskPorts {
  readonly vendorOf: (task: Task) => Vendor;
  /**
   * Tasks now at this provider, and how long videos of this model usually take; both may be a few
   * seconds old.
   */
  readonly liveTasks: (provider: string) => Promise<number>;
  readonly usualMs: (model: string) => Promise<number | undefined>;
  readonly moves: Moves;
  readonly leaveRoute: LeaveRoute;
  readonly clock: Clock;
}

/**
 * A vendor may not know a fresh task yet, or forget all of them for a moment: only one that stays
 * missing, about a minute with these waits, is gone.
 */
const missingLimit = 7;
const errorBackoff = { firstMs: 1_000, maxMs: 60_000 } as const;

/**
 * Step `poll`: one poll of the vendor. An error says nothing about the task and changes only when to
 * poll again.
 */
export function createPollTask(ports: PollTaskPorts): Step {
  const { vendorOf, moves, clock } = ports;
  return async (task, signal) => {
    const { taskId } = task.vendor;
    if (taskId === null) throw new Error(`task ${task.id} is polled without a vendor task id`);
    const outcome = await vendorOf(task).provider.poll(taskId, signal);
    reached('poll.responded', task.id);
    return record(task, outcome);
  };

  async function record(task: Task, outcome: PollOutcome): Promise<StepOutcome> {
    switch (outcome.kind) {
      case 'pending': {
        if (task.stepFailures > 0 && task.vendorOutput === null) {
          await moves.stay(task, { step: 'poll' });
        }
        return wait(await pollDelayOf(task));
      }
      case 'succeeded':
      case 'failed':
        return recordPolledEnd(task, outcome, ports);
      case 'missing':
        return missing(task, outcome.detail);
      case 'error':
        return waitAfterError(task, outcome);
    }
  }

  async function waitAfterError(
    task: Task,
    { retryAfterMs = 0 }: Extract<PollOutcome, { kind: 'error' }>,
  ): Promise<StepOutcome> {
    return wait(
      Math.max(
        retryAfterMs,
        await pollDelayOf(task),
        backoffDelayMs(errorBackoff, 1, clock.random()),
      ),
    );
  }

  async function missing(task: Task, detail: string): Promise<StepOutcome> {
    const failures = task.stepFailures + 1;
    if (failures >= missingLimit) return fail(task, 'vendor_removed', { detail, moves });
    await moves.stay(task, { step: 'poll', stepFailures: failures });
    return wait(backoffDelayMs(errorBackoff, failures, clock.random()));
  }

  async function pollDelayOf(task: Task): Promise<number> {
    const { pace, requestsPerSecond } = vendorOf(task);
    return nextPollDelayMs({
      pace,
      requestsPerSecond,
      elapsedMs: clock.now() - (task.startedAt ?? task.createdAt).getTime(),
      usualMs: await ports.usualMs(task.model),
      liveTasks: await ports.liveTasks(task.vendor.provider),
      random: clock.random(),
    });
  }
}

/** A failure that has cost the vendor's work: without a file, or by its own word. */
export const isCharged = ({ failure, usage }: Extract<PollOutcome, { kind: 'failed' }>): boolean =>
  failure === 'no_output' ||
  (usage !== undefined && (usage.cost === undefined || scaledCost(usage.cost.amount) > 0n));

/** What a vendor says about a task that is over there. */
export type VendorEnd = Extract<PollOutcome, { kind: 'succeeded' | 'failed' }>;

/**
 * The same for a task that is polled in time: one that the vendor failed to render, at no cost, may
 * leave its route.
 */
export async function recordPolledEnd(
  task: Task,
  end: VendorEnd,
  { moves, leaveRoute }: Pick<PollTaskPorts, 'moves' | 'leaveRoute'>,
): Promise<StepOutcome> {
  if (end.kind === 'failed') {
    const news = { kind: 'failed', code: end.failure, isCharged: isCharged(end) } as const;
    if (await leaveRoute(task, { news, detail: end.detail })) return over;
  }
  return recordEnd(task, end, moves);
}

/**
 * Records that the vendor is done with a task: its files are to be copied, or it is over. Nothing is
 * written when the task has moved since it was read.
 */
export async function recordEnd(task: Task, end: VendorEnd, moves: Moves): Promise<StepOutcome> {
  if (end.kind === 'failed') {
    return isRequestedCancel(task, end)
      ? endCancelled(task, moves)
      : fail(task, end.failure, { ...end, moves });
  }
  // Failures of an ingest before this poll stay counted: the poll only fetched a fresh link.
  await moves.stay(task, {
    step: 'ingest',
    vendorOutput: end.output,
    stepFailures: task.vendorOutput === null ? 0 : task.stepFailures,
  });
  reached('poll.output-recorded', task.id);
  return moved;
}

/** The vendor did cancel the task, and its response was lost. */
function isRequestedCancel(
  { cancelRequestedAt }: Task,
  { failure }: Extract<VendorEnd, { kind: 'failed' }>,
): boolean {
  return cancelRequestedAt !== null && failure === 'cancelled';
}
