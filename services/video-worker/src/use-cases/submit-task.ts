import type { Task, VendorUsage } from '@gateway/contracts';
import { backoffDelayMs, taskFailure, type PutOff, type TaskFailureCode } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { FindOutcome, Submission, SubmitOutcome } from '@gateway/video-providers';
import type { Step } from './advance-task.ts';
import type { LeaveRoute } from './leave-route.ts';
import {
  moved,
  over,
  wait,
  type Clock,
  type Hindrance,
  type Moves,
  type StepOutcome,
  type SubmissionGate,
  type SubmissionPermit,
  type Vendor,
} from './ports.ts';

export interface SubmitTaskPorts {
  readonly vendorOf: (task: Task) => Vendor;
  /** The circuit breaker before the vendor. */
  readonly gate: SubmissionGate;
  /** The request as the vendor reads it, stored references turned into what it takes. */
  readonly toSubmission: (task: Task) => Promise<Submission>;
  readonly moves: Moves;
  readonly leaveRoute: LeaveRoute;
  readonly watch: RouteWatch;
  readonly clock: Clock;
  /** Gives this provider's free slots to the next tasks in its queue, and wakes them. */
  readonly admitTasks: (provider: string) => Promise<void>;
  readonly find: (taskId: string) => Promise<Task | undefined>;
  /** A submission with an unknown outcome that the vendor does not list for this long is given up. */
  readonly unknownAfterMs: number;
}

/** What earlier submissions say of vendors. */
interface RouteWatch {
  readonly heard: (task: Task, outcome: SubmitOutcome) => void;
  /** Whether its vendor has said that it has no such model, and another task finds out whether it has it again. */
  readonly isGone: (task: Task) => Promise<boolean>;
  /** For how long the vendor has taken no more work. */
  readonly busyForMs: (task: Task) => number;
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
 * `submitting`, which nobody submits again. While the circuit breaker is open, the task is back in
 * the queue, at its position.
 */
export function createSubmitTask(ports: SubmitTaskPorts): Step {
  const { vendorOf, gate, toSubmission, moves, clock, admitTasks, find } = ports;
  const { leavesUnsent, putBack } = createNotNow(ports);
  const record = createRecord(ports);
  return async (task, signal) => {
    const vendor = vendorOf(task);
    if (task.admittedAt === null) {
      await admitTasks(task.vendor.provider);
      return isWaitingForSlot(await find(task.id)) ? over : moved;
    }
    const hindrance = gate.hindrance(task);
    if (hindrance !== undefined) return putBack(task, hindrance);
    if (await leavesUnsent(task)) return over;
    const submission = await toSubmission(task);
    const pace = await vendor.permitToCreate();
    if (!pace.granted) return wait(Math.round(pace.afterMs * (1 + 0.2 * clock.random())));
    const permit = await gate.enter(task, signal);
    if (permit.kind !== 'granted') return putBack(task, permit);
    try {
      return await submit(task, { submission, permit, signal });
    } finally {
      permit.end();
    }
  };

  async function submit(
    task: Task,
    {
      submission,
      permit,
      signal,
    }: {
      readonly submission: Submission;
      readonly permit: SubmissionPermit;
      readonly signal: AbortSignal;
    },
  ): Promise<StepOutcome> {
    reached('submit.before-intent', task.id);
    const claimed = await moves.claimSubmission(task);
    if (claimed === 'lost') return moved;
    reached('submit.intent-committed', task.id);
    const outcome = await vendorOf(task).provider.submit(submission, signal);
    reached('submit.vendor-responded', task.id);
    // What this process broke off itself says nothing about the vendor.
    if (!signal.aborted) permit.report(outcome);
    return record(claimed, outcome);
  }
}

/** What becomes of a task that is not submitted now. */
function createNotNow({ moves, leaveRoute, watch }: SubmitTaskPorts) {
  return { leavesUnsent, putBack };

  /** The vendor has no such model; or it turned the task away, and turns others away still. */
  async function leavesUnsent(task: Task): Promise<boolean> {
    if (await watch.isGone(task)) return leaveRoute(task, { news: { kind: 'model_gone' } });
    if (task.stepFailures === 0) return false;
    return leaveRoute(task, { news: { kind: 'busy', forMs: watch.busyForMs(task) } });
  }

  async function putBack(task: Task, hindrance: Hindrance): Promise<StepOutcome> {
    const isOpen = hindrance.kind === 'back_in_queue' || hindrance.isOpen === true;
    if (isOpen && (await leaveRoute(task, { news: { kind: 'breaker_open' } }))) return over;
    if (hindrance.kind === 'wait') return wait(hindrance.afterMs);
    return (await moves.giveBackSlot(task)) === undefined ? moved : over;
  }
}

/** Writes down what a submission came to. */
function createRecord({ vendorOf, gate, moves, clock, leaveRoute, watch }: SubmitTaskPorts) {
  return async (task: Task, outcome: SubmitOutcome): Promise<StepOutcome> => {
    watch.heard(task, outcome);
    switch (outcome.kind) {
      case 'accepted':
        return accept(task, outcome.vendorTaskId, { vendorOf, moves });
      case 'refused':
        return fail(task, outcome.failure, { ...outcome, moves });
      case 'unknown':
        return wait(backoffDelayMs(lookUpBackoff, 1, clock.random()));
      case 'not_sent':
      case 'unavailable':
      case 'busy':
        return putOff(task, outcome);
    }
  };

  /** Sure not to be at the vendor: it is sent on another route, or again later. */
  async function putOff(
    task: Task,
    outcome: Extract<SubmitOutcome, { kind: PutOff }>,
  ): Promise<StepOutcome> {
    const { kind, detail } = outcome;
    const news = kind === 'busy' ? { kind, forMs: watch.busyForMs(task) } : { kind };
    if (await leaveRoute(task, { news, detail })) return over;
    const failures = task.stepFailures + 1;
    const keepsSlot = gate.hindrance(task)?.kind !== 'back_in_queue';
    await moves.putOff(task, {
      stepFailures: failures,
      outcome: kind,
      detail,
      keepsSlot,
    });
    reached('submit.put-off', task.id);
    if (!keepsSlot) return over;
    const asked = kind === 'busy' ? (outcome.retryAfterMs ?? 0) : 0;
    return wait(Math.max(asked, backoffDelayMs(notSentBackoff, failures, clock.random())));
  }
}

/**
 * Step `submitting`: somebody meant to call the vendor and did not write down how it ended. The
 * vendor's own list decides; without a unique response the task ends as submission_unknown and is
 * never sent again.
 */
export function createResolveSubmission({
  vendorOf,
  gate,
  moves,
  clock,
  unknownAfterMs,
}: SubmitTaskPorts): Step {
  return async (task, signal) => {
    const since = task.submittingAt ?? task.createdAt;
    const age = clock.now() - since.getTime();
    const found = await lookUp(task, { since, signal });
    const pause = backoffDelayMs(lookUpBackoff, 1 + Math.floor(age / 5_000), clock.random());
    reached('resolve.listed', task.id);
    switch (found.kind) {
      case 'found':
        return accept(task, found.vendorTaskId, { vendorOf, moves });
      case 'several':
        return giveUp(task, `several vendor tasks match: ${found.vendorTaskIds.join(', ')}`);
      case 'none':
      case 'out_of_reach':
        return age >= unknownAfterMs ? giveUp(task, notFound(found)) : wait(pause);
      case 'error':
        return wait(Math.max(pause, found.retryAfterMs ?? 0));
    }
  };

  /** A vendor that gives no list, or does not respond with it, is asked whether it is there at all. */
  async function lookUp(
    task: Task,
    { since, signal }: { readonly since: Date; readonly signal: AbortSignal },
  ): Promise<FindOutcome> {
    const { provider } = vendorOf(task);
    const found: FindOutcome = (await provider.find?.(
      { correlation: task.id, since: new Date(since.getTime() - clockSkewMs) },
      signal,
    )) ?? { kind: 'none' };
    if (provider.find === undefined || found.kind === 'error') await gate.inquire(task, signal);
    return found;
  }

  async function giveUp(task: Task, detail: string): Promise<StepOutcome> {
    await moves.recordExposure(task, { kind: 'submission_unknown', vendorTaskId: null, detail });
    reached('resolve.exposure-noted', task.id);
    return fail(task, 'submission_unknown', { detail, moves });
  }
}

const notFound = (found: Extract<FindOutcome, { kind: 'none' | 'out_of_reach' }>): string =>
  `no clear response, and ${found.kind === 'none' ? 'not found at the vendor' : found.detail}`;

/**
 * The vendor has the task. When somebody ended it meanwhile, the vendor's work is an orphan:
 * cancelled there, and noted.
 */
async function accept(
  task: Task,
  vendorTaskId: string,
  { vendorOf, moves }: Pick<SubmitTaskPorts, 'vendorOf' | 'moves'>,
): Promise<StepOutcome> {
  const next = await taken(task, vendorTaskId, moves);
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

/** A task that its vendor before had begun with is running already. */
const taken = (task: Task, vendorTaskId: string, moves: Moves): Promise<Task | undefined> => {
  const changes = { step: 'poll', vendorTaskId } as const;
  return task.status === 'running'
    ? moves.stay(task, changes)
    : moves.move(task, 'accepted', { changes });
};

/** Waits for a vendor slot: it needs no job, whoever frees a slot wakes it. */
export const isWaitingForSlot = (task: Task | undefined): boolean =>
  task?.step === 'submit' && task.admittedAt === null;

interface FailedTask {
  readonly reason?: string | undefined;
  readonly detail?: string | undefined;
  readonly usage?: VendorUsage | undefined;
  readonly moves: Moves;
}

/**
 * Ends the task as failed, or as expired where its vendor gave it up for its age, unbilled. `reason` is for the customer, `detail` for the operator, and
 * `usage` what the vendor charges all the same.
 */
export async function fail(
  task: Task,
  code: TaskFailureCode,
  { reason, detail, usage, moves }: FailedTask,
): Promise<StepOutcome> {
  await moves.move(task, code === 'expired' ? 'expired' : 'failed', {
    changes: { step: 'done', failure: taskFailure(code, reason), billed: { seconds: 0, quota: 0 } },
    detail,
    usage,
  });
  return moved;
}
