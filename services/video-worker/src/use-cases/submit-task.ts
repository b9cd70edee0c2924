import type { Task } from '@gateway/contracts';
import { backoffDelayMs, taskFailure, type TaskFailureCode } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { FindOutcome, Submission, SubmitOutcome } from '@gateway/video-providers';
import type { Step } from './advance-task.ts';
import {
  moved,
  over,
  wait,
  type Clock,
  type Moves,
  type StepOutcome,
  type Vendor,
} from './ports.ts';

export interface SubmitTaskPorts {
  readonly vendorOf: (task: Task) => Vendor;
  /** The request as the vendor reads it, stored references turned into what it takes. */
  readonly toSubmission: (task: Task) => Promise<Submission>;
  readonly moves: Moves;
  readonly clock: Clock;
  /** Gives this provider's free slots to the next tasks in its queue, and wakes them. */
  readonly admitTasks: (provider: string) => Promise<void>;
  readonly find: (taskId: string) => Promise<Task | undefined>;
  /** A submission with an unknown outcome that the vendor does not list for this long is given up. */
  readonly unknownAfterMs: number;
}

const notSentBackoff = { firstMs: 1_000, maxMs: 60_000 } as const;
/** Vendors list a task a moment after they took it; their list is slow, so it is asked rarely. */
const lookUpBackoff = { firstMs: 1_500, maxMs: 15_000 } as const;
const clockSkewMs = 5_000;
const orphanCancelMs = 10_000;

/**
 * Step `submit`: hands the task to the vendor, once, when it has a slot. Until then it waits in the
 * vendor queue without a job: whoever frees a slot wakes the next one. The intent is committed before
 * the network call; whatever happens to the process after that can at worst leave a task in
 * `submitting`, which nobody submits again.
 */
export function createSubmitTask({
  vendorOf,
  toSubmission,
  moves,
  clock,
  admitTasks,
  find,
}: SubmitTaskPorts): Step {
  return async (task, signal) => {
    const vendor = vendorOf(task);
    if (task.admittedAt === null) {
      await admitTasks(task.vendor.provider);
      return isWaitingForSlot(await find(task.id)) ? over : moved;
    }
    const submission = await toSubmission(task);
    const permit = await vendor.permitToCreate();
    if (!permit.granted) return wait(Math.round(permit.afterMs * (1 + 0.2 * clock.random())));
    reached('submit.before-intent', task.id);
    const claimed = await moves.claimSubmission(task);
    if (claimed === 'lost') return moved;
    reached('submit.intent-committed', task.id);
    const outcome = await vendor.provider.submit(submission, signal);
    reached('submit.vendor-answered', task.id);
    return record(claimed, outcome);
  };

  async function record(task: Task, outcome: SubmitOutcome): Promise<StepOutcome> {
    switch (outcome.kind) {
      case 'accepted':
        return accept(task, outcome.vendorTaskId, { vendorOf, moves });
      case 'refused':
        return fail(task, outcome.failure, { reason: outcome.reason, moves });
      case 'unknown':
        return wait(backoffDelayMs(lookUpBackoff, 1, clock.random()));
      case 'not_sent':
      case 'busy': {
        const failures = task.stepFailures + 1;
        await moves.stay(task, { step: 'submit', stepFailures: failures });
        reached('submit.put-off', task.id);
        const asked = outcome.kind === 'busy' ? (outcome.retryAfterMs ?? 0) : 0;
        return wait(Math.max(asked, backoffDelayMs(notSentBackoff, failures, clock.random())));
      }
    }
  }
}

/**
 * Step `submitting`: somebody meant to call the vendor and did not write down how it ended. The
 * vendor's own list decides; without a unique answer the task ends as submission_unknown and is
 * never sent again.
 */
export function createResolveSubmission({
  vendorOf,
  moves,
  clock,
  unknownAfterMs,
}: SubmitTaskPorts): Step {
  return async (task, signal) => {
    const { provider } = vendorOf(task);
    const since = task.submittingAt ?? task.createdAt;
    const age = clock.now() - since.getTime();
    const found: FindOutcome = (await provider.find?.(
      { correlation: task.id, since: new Date(since.getTime() - clockSkewMs) },
      signal,
    )) ?? { kind: 'none' };
    const pause = backoffDelayMs(lookUpBackoff, 1 + Math.floor(age / 5_000), clock.random());
    reached('resolve.listed', task.id);
    switch (found.kind) {
      case 'found':
        return accept(task, found.vendorTaskId, { vendorOf, moves });
      case 'several':
        return giveUp(task, `several vendor tasks match: ${found.vendorTaskIds.join(', ')}`);
      case 'none':
        return age >= unknownAfterMs
          ? giveUp(task, 'no clear answer, and not found at the vendor')
          : wait(pause);
      case 'error':
        return wait(Math.max(pause, found.retryAfterMs ?? 0));
    }
  };

  async function giveUp(task: Task, detail: string): Promise<StepOutcome> {
    await moves.recordExposure(task, { kind: 'submission_unknown', vendorTaskId: null, detail });
    reached('resolve.exposure-noted', task.id);
    return fail(task, 'submission_unknown', { reason: undefined, moves });
  }
}

/**
 * The vendor has the task. When somebody ended it meanwhile, the vendor's work is an orphan:
 * cancelled there, and noted.
 */
async function accept(
  task: Task,
  vendorTaskId: string,
  { vendorOf, moves }: Pick<SubmitTaskPorts, 'vendorOf' | 'moves'>,
): Promise<StepOutcome> {
  const next = await moves.move(task, 'accepted', { changes: { step: 'poll', vendorTaskId } });
  // Another worker may have found and adopted the very same vendor task.
  if (next !== undefined || (await moves.vendorTaskIdOf(task.id)) === vendorTaskId) return moved;
  const cancelled = await vendorOf(task).provider.cancel(
    vendorTaskId,
    AbortSignal.timeout(orphanCancelMs),
  );
  await moves.recordExposure(task, {
    kind: 'orphan',
    vendorTaskId,
    detail: `accepted after the task had moved on; cancel: ${cancelled.kind}`,
  });
  return moved;
}

/** Waits for a vendor slot: it needs no job, whoever frees a slot wakes it. */
export const isWaitingForSlot = (task: Task | undefined): boolean =>
  task?.step === 'submit' && task.admittedAt === null;

/** Ends the task as failed, unbilled. */
export async function fail(
  task: Task,
  code: TaskFailureCode,
  { reason, moves }: { reason: string | undefined; moves: Moves },
): Promise<StepOutcome> {
  await moves.move(task, 'failed', {
    changes: { step: 'done', failure: taskFailure(code, reason), billed: { seconds: 0, quota: 0 } },
  });
  return moved;
}
