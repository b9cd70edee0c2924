import type { Task } from '@gateway/contracts';
import { taskFailure } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { Step } from './advance-task.ts';
import { moved, over, wait, type Clock, type Moves, type Vendor } from './ports.ts';

export interface ExpireTaskPorts {
  readonly vendorOf: (task: Task) => Vendor;
  readonly moves: Moves;
  readonly clock: Clock;
  /** How long after its deadline an expired task is watched, and how often. */
  readonly lateWatchMs: number;
  readonly lateEveryMs: number;
}

const cancelTimeoutMs = 10_000;

/**
 * The deadline has passed: the customer pays nothing, the vendor is asked to stop, and what it does
 * is watched for a while.
 */
export function createExpireTask({ vendorOf, moves }: ExpireTaskPorts): Step {
  return async (task) => {
    const { taskId } = task.vendor;
    reached('expire.due', task.id);
    const expired = await moves.move(task, 'expired', {
      // A submission that was never resolved is noted by the next step: after a crash here too.
      changes: {
        step: taskId === null && task.step !== 'submitting' ? 'done' : 'late',
        failure: taskFailure('expired'),
        billed: { seconds: 0, quota: 0 },
      },
    });
    if (expired === undefined) return moved;
    if (taskId !== null) {
      await vendorOf(task).provider.cancel(taskId, AbortSignal.timeout(cancelTimeoutMs));
      reached('expire.vendor-asked', task.id);
    }
    return moved;
  };
}

/**
 * Step `late`: an expired task whose vendor may still finish. A late success is the operator's
 * exposure, never the customer's bill.
 */
export function createWatchLate({
  vendorOf,
  moves,
  clock,
  lateWatchMs,
  lateEveryMs,
}: ExpireTaskPorts): Step {
  return async (task, signal) => {
    const { taskId } = task.vendor;
    const until = task.expiresAt.getTime() + lateWatchMs;
    if (taskId === null) {
      await moves.recordExposure(task, {
        kind: 'submission_unknown',
        vendorTaskId: null,
        detail: 'the deadline passed before the submission was resolved',
      });
    }
    if (taskId === null || clock.now() >= until) {
      await moves.closeLate(task);
      return over;
    }
    const outcome = await vendorOf(task).provider.poll(taskId, signal);
    // A vendor that does not know the task for a moment may finish it all the same.
    if (outcome.kind === 'pending' || outcome.kind === 'error' || outcome.kind === 'missing') {
      return wait(Math.min(lateEveryMs, until - clock.now()));
    }
    if (outcome.kind === 'succeeded') {
      await moves.recordExposure(task, {
        kind: 'late_success',
        vendorTaskId: taskId,
        detail: 'the vendor finished after the deadline',
      });
      reached('late.exposure-noted', task.id);
    }
    await moves.closeLate(task);
    return over;
  };
}
