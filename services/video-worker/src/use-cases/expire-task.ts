import type { Task } from '@gateway/contracts';
import { taskFailure } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { PollOutcome } from '@gateway/video-providers';
import type { Step } from './advance-task.ts';
import { loseOutput, lostRacePauseMs } from './ingest-task.ts';
import { recordEnd } from './poll-task.ts';
import { moved, wait, type Clock, type Moves, type StepOutcome, type Vendor } from './ports.ts';

export interface ExpireTaskPorts {
  readonly vendorOf: (task: Task) => Vendor;
  readonly moves: Moves;
  readonly clock: Clock;
  /** The ordinary steps, which past the deadline run for the last time. */
  readonly steps: { readonly submitting: Step; readonly ingest: Step };
  /** How long after its deadline a vendor that gives no answer is asked again, in ms. */
  readonly graceMs: number;
  /** The same for a finished video that is being copied. */
  readonly fileGraceMs: number;
}

const cancelTimeoutMs = 10_000;
const lastPollTimeoutMs = 10_000;
const lastPollPauseMs = 5_000;

/**
 * The deadline has passed. A vendor that has finished by now is heard once more, and its video is
 * copied; otherwise the customer pays nothing, the vendor is asked to stop, and what it does is
 * watched for a while. A vendor that gives no answer holds the end up for the grace and no longer.
 */
export function createExpireTask(ports: ExpireTaskPorts): Step {
  const { moves, clock, steps, graceMs, fileGraceMs } = ports;
  const askOnce = createAskOnce(ports);
  const expire = createExpire(ports);
  return async (task, signal) => {
    reached('expire.due', task.id);
    const overdueMs = clock.now() - task.expiresAt.getTime();
    if (task.step === 'ingest') {
      return overdueMs < fileGraceMs
        ? steps.ingest(task, signal)
        : loseOutput(task, 'unavailable', moves);
    }
    const ended = overdueMs < graceMs ? await askOnce(task, signal) : undefined;
    return ended ?? expire(task);
  };
}

/** Asks the vendor for the last time; undefined when it has nothing for us: the task expires. */
function createAskOnce({ vendorOf, moves, steps, graceMs }: ExpireTaskPorts) {
  return async (task: Task, signal: AbortSignal): Promise<StepOutcome | undefined> => {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(lastPollTimeoutMs)]);
    if (task.step === 'submitting') {
      const outcome = await steps.submitting(task, bounded);
      return outcome.kind === 'moved' ? outcome : undefined;
    }
    const { taskId } = task.vendor;
    if (taskId === null) return undefined;
    const outcome = await vendorOf(task).provider.poll(taskId, bounded);
    reached('expire.polled', task.id);
    return heard(task, outcome);
  };

  async function heard(task: Task, outcome: PollOutcome): Promise<StepOutcome | undefined> {
    if (outcome.kind === 'succeeded' || outcome.kind === 'failed') {
      return recordEnd(task, outcome, moves);
    }
    if (task.vendorOutput !== null) {
      await moves.stay(task, { step: 'ingest', stepFailures: task.stepFailures });
      return moved;
    }
    if (outcome.kind !== 'error') return undefined;
    return wait(Math.min(outcome.retryAfterMs ?? lastPollPauseMs, graceMs));
  }
}

/** Ends the task unbilled, and asks the vendor to stop. */
function createExpire({ vendorOf, moves }: ExpireTaskPorts) {
  return async (task: Task): Promise<StepOutcome> => {
    if (task.vendorOutput !== null) return loseOutput(task, 'unavailable', moves);
    const { taskId } = task.vendor;
    const expired = await moves.move(task, 'expired', {
      // A submission that was never resolved is looked up by the next step: after a crash here too.
      changes: {
        step: taskId === null && task.step !== 'submitting' ? 'done' : 'late',
        failure: taskFailure('expired'),
        billed: { seconds: 0, quota: 0 },
      },
      ifOverdue: true,
    });
    if (expired === undefined) return wait(lostRacePauseMs);
    if (taskId !== null) {
      const { kind } = await vendorOf(task).provider.cancel(
        taskId,
        AbortSignal.timeout(cancelTimeoutMs),
      );
      reached('expire.vendor-asked', task.id);
      if (kind === 'cancelled') await moves.closeLate(expired);
    }
    return moved;
  };
}
