import type { Task, VendorOutput } from '@gateway/contracts';
import { backoffDelayMs } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { FindOutcome, PollOutcome } from '@gateway/video-providers';
import type { Step } from './advance-task.ts';
import { isCharged } from './poll-task.ts';
import {
  moved,
  over,
  wait,
  type Clock,
  type Moves,
  type StepOutcome,
  type Vendor,
} from './ports.ts';

export interface WatchLatePorts {
  readonly vendorOf: (task: Task) => Vendor;
  readonly moves: Moves;
  readonly clock: Clock;
  /** How long after its deadline an expired task is watched, and how often at least. */
  readonly lateWatchMs: number;
  readonly lateEveryMs: number;
}

/** The task keeps a slot at the vendor meanwhile: polls begin often and grow rare. */
const firstPauseMs = 30_000;
const shareOfElapsed = 1 / 12;
/** A vendor may forget all tasks for a moment: one that stays missing is gone. */
const missingLimit = 7;
const missingBackoff = { firstMs: 1_000, maxMs: 60_000 } as const;
/** A vendor that gives no answer is asked for twice the watch, and at least this much longer. */
const shortestExtraMs = 60_000;
const clockSkewMs = 5_000;

/**
 * Step `late`: an expired task whose vendor may still finish. A late success is the operator's
 * exposure, never the customer's bill. The watch ends with an answer of the vendor; without one it
 * goes on to its final limit, and then that is the exposure.
 */
export function createWatchLate(ports: WatchLatePorts): Step {
  const { vendorOf, clock, lateWatchMs } = ports;
  const heard = createHeard(ports);
  const findSubmission = createFindSubmission(ports);
  return async (task, signal) => {
    const overdueMs = clock.now() - task.expiresAt.getTime();
    const { taskId } = task.vendor;
    if (overdueMs >= lateWatchMs + Math.max(lateWatchMs, shortestExtraMs)) {
      return giveUp(task, 'the vendor gave no answer until the watch ended', ports);
    }
    if (taskId === null) return findSubmission(task, { signal, overdueMs });
    const outcome = await vendorOf(task).provider.poll(taskId, signal);
    reached('late.polled', task.id);
    return heard(task, outcome, overdueMs);
  };
}

/** What a poll leads to. */
function createHeard(ports: WatchLatePorts) {
  const { moves, clock, lateWatchMs, lateEveryMs } = ports;
  return async (task: Task, outcome: PollOutcome, overdueMs: number): Promise<StepOutcome> => {
    const isLast = overdueMs >= lateWatchMs;
    switch (outcome.kind) {
      case 'succeeded':
        return lateSuccess(task, outcome.output);
      case 'failed':
        return isCharged(outcome) ? lateSuccess(task, outcome.usage) : close(task, moves);
      case 'pending':
        return isLast
          ? giveUp(task, 'the vendor was still at work when the watch ended', ports)
          : wait(pauseMs(overdueMs, lateEveryMs));
      case 'missing':
        return isLast || task.stepFailures + 1 >= missingLimit ? close(task, moves) : missing(task);
      case 'error':
        return waitForResponse(outcome, overdueMs, lateEveryMs);
    }
  };

  async function lateSuccess(task: Task, output?: Partial<VendorOutput>): Promise<StepOutcome> {
    await moves.recordExposure(task, {
      kind: 'late_success',
      vendorTaskId: task.vendor.taskId,
      detail: ['the vendor finished after the deadline', ...madeOf(output)].join(', '),
      output,
    });
    reached('late.exposure-noted', task.id);
    return close(task, moves);
  }

  async function missing(task: Task): Promise<StepOutcome> {
    const failures = task.stepFailures + 1;
    await moves.stay(task, { step: 'late', stepFailures: failures });
    return wait(Math.min(lateEveryMs, backoffDelayMs(missingBackoff, failures, clock.random())));
  }
}

interface Finding {
  readonly signal: AbortSignal;
  readonly overdueMs: number;
}

/** A submission that was unresolved at the deadline: where the vendor has it, it is watched. */
function createFindSubmission({ vendorOf, moves, lateEveryMs }: WatchLatePorts) {
  return async (task: Task, { signal, overdueMs }: Finding): Promise<StepOutcome> => {
    const since = (task.submittingAt ?? task.createdAt).getTime() - clockSkewMs;
    const found: FindOutcome = (await vendorOf(task).provider.find?.(
      { correlation: task.id, since: new Date(since) },
      signal,
    )) ?? { kind: 'none' };
    if (found.kind === 'error') return waitForResponse(found, overdueMs, lateEveryMs);
    if (found.kind === 'found') {
      await moves.stay(task, { step: 'late', vendorTaskId: found.vendorTaskId });
      reached('late.found', task.id);
      return moved;
    }
    await moves.recordExposure(task, {
      kind: 'submission_unknown',
      vendorTaskId: null,
      detail: 'the deadline passed before the submission was resolved',
    });
    return close(task, moves);
  };
}

async function giveUp(
  task: Task,
  detail: string,
  { moves }: Pick<WatchLatePorts, 'moves'>,
): Promise<StepOutcome> {
  await moves.recordExposure(task, {
    kind: 'watch_ended',
    vendorTaskId: task.vendor.taskId,
    detail,
  });
  return close(task, moves);
}

async function close(task: Task, moves: Moves): Promise<StepOutcome> {
  await moves.closeLate(task);
  return over;
}

const waitForResponse = (
  { retryAfterMs = 0 }: { readonly retryAfterMs?: number },
  overdueMs: number,
  lateEveryMs: number,
): StepOutcome => wait(Math.max(retryAfterMs, pauseMs(overdueMs, lateEveryMs)));

const pauseMs = (overdueMs: number, lateEveryMs: number): number =>
  Math.round(Math.min(lateEveryMs, Math.max(firstPauseMs, overdueMs * shareOfElapsed)));

/** What the vendor says that it made, as far as it says so. */
function madeOf(output: Partial<VendorOutput> | undefined): string[] {
  const { seconds, totalTokens, completionTokens } = output ?? {};
  const tokens = totalTokens ?? completionTokens;
  return [
    ...(seconds == null ? [] : [`${seconds} s`]),
    ...(tokens == null ? [] : [`${tokens} tokens`]),
  ];
}
