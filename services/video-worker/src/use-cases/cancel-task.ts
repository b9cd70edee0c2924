import type { Task } from '@gateway/contracts';
import { cancelPathAt, taskFailure, type TaskStep } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { Step } from './advance-task.ts';
import { moved, type Moves, type StepOutcome, type Vendor } from './ports.ts';

export interface CancelTaskPorts {
  readonly vendorOf: (task: Task) => Vendor;
  readonly moves: Moves;
  /** What is due at this step without a cancel request. */
  readonly steps: Readonly<Record<Exclude<TaskStep, 'done'>, Step>>;
}

/** The customer waits for this. */
const askTimeoutMs = 10_000;

/**
 * A live task with a cancel request. The request ends with the task, or when the vendor refuses;
 * until then it stands, and holds nothing up: while the vendor cannot be asked, the task goes on as
 * usual.
 */
export function createCancelTask({ vendorOf, moves, steps }: CancelTaskPorts): Step {
  return async (task, signal) => {
    reached('cancel.due', task.id);
    switch (cancelPathAt(task.step)) {
      case 'end':
        return endCancelled(task, moves);
      case 'ask':
        return ask(task, signal);
      case 'refuse':
        return refuse(task);
      case 'carry_on':
        return carryOn(task, signal);
    }
  };

  async function ask(task: Task, signal: AbortSignal): Promise<StepOutcome> {
    const { taskId } = task.vendor;
    if (taskId === null) {
      throw new Error(`task ${task.id} is at the vendor without a vendor task id`);
    }
    const response = await vendorOf(task).provider.cancel(
      taskId,
      AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)]),
    );
    reached('cancel.vendor-responded', task.id);
    switch (response.kind) {
      case 'cancelled':
        return endCancelled(task, moves);
      case 'not_cancellable':
        return refuse(task);
      case 'error':
        return carryOn(task, signal);
    }
  }

  /** From now on the vendor's outcomes count again. */
  async function refuse(task: Task): Promise<StepOutcome> {
    await moves.stay(task, {
      step: task.step,
      stepFailures: task.stepFailures,
      cancelRefused: true,
    });
    return moved;
  }

  function carryOn(task: Task, signal: AbortSignal): Promise<StepOutcome> {
    if (task.step === 'done') throw new Error(`task ${task.id} is over`);
    return steps[task.step](task, signal);
  }
}

/**
 * Ends the task as cancelled, unbilled. Vendor work that began after the customer had asked is
 * noted for the operator.
 */
export async function endCancelled(task: Task, moves: Moves): Promise<StepOutcome> {
  if (isOrphan(task)) {
    // Noted first: a crash between the two repeats the move, and the note is kept once.
    await moves.recordExposure(task, {
      kind: 'orphan',
      vendorTaskId: task.vendor.taskId,
      detail: 'accepted by the vendor after the customer had cancelled; cancelled at the vendor',
    });
    reached('cancel.orphan-noted', task.id);
  }
  await moves.move(task, 'cancelled', {
    changes: { step: 'done', failure: taskFailure('cancelled'), billed: { seconds: 0, quota: 0 } },
  });
  return moved;
}

const isOrphan = ({ startedAt, cancelRequestedAt }: Task): boolean =>
  startedAt !== null && cancelRequestedAt !== null && cancelRequestedAt <= startedAt;
