import type { Task } from '@gateway/contracts';
import { cancelPathAt, GatewayError, isTerminal } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import { looks, type Patience } from './looks.ts';

export interface CancelVideo {
  readonly taskId: string;
  readonly accountId: string;
}

export interface CancelVideoPorts {
  readonly tasks: {
    /** Ends a task that no vendor was asked for; undefined when it is not such a task. */
    readonly cancelUnsubmitted: (taskId: string, accountId: string) => Promise<Task | undefined>;
    /** Notes the wish for the worker; undefined when it is too late. */
    readonly requestCancel: (taskId: string, accountId: string) => Promise<Task | undefined>;
    readonly find: (taskId: string, accountId: string) => Promise<Task | undefined>;
  };
  /** Called once for a task that this call has ended: wakes billing and the dispatcher. */
  readonly onCancelled: (task: Task) => void;
  /** Wakes the worker that has to ask the vendor, also from a look that it put off. */
  readonly hurry: (task: Task) => void;
  readonly patience: Patience;
}

/** What a wish to cancel came to. `pending`: the vendor was not asked yet, or has not answered. */
export type CancelState = 'cancelled' | 'refused' | 'pending';

/** Pure: the row says it all, because the worker takes the wish back when the vendor refuses. */
export function cancelStateOf({
  status,
  step,
  cancelRequestedAt,
}: Pick<Task, 'status' | 'step' | 'cancelRequestedAt'>): CancelState {
  if (status === 'cancelled') return 'cancelled';
  if (isTerminal(status) || cancelRequestedAt === null || cancelPathAt(step) === 'refuse') {
    return 'refused';
  }
  return 'pending';
}

/**
 * Cancels a task. One that the vendor was never asked for ends here; for any other the wish is
 * written down, the worker asks the vendor, and this waits a short while for what comes of it.
 * Throws task_not_found, not_cancellable, or upstream_timeout: then the wish stands, and asking
 * again asks for the same.
 */
export function createCancelVideo({
  tasks,
  onCancelled,
  hurry,
  patience,
}: CancelVideoPorts): (request: CancelVideo) => Promise<Task> {
  return async ({ taskId, accountId }) => {
    reached('cancel.asked', taskId);
    const ended = await tasks.cancelUnsubmitted(taskId, accountId);
    if (ended !== undefined) {
      reached('cancel.ended', taskId);
      onCancelled(ended);
      return ended;
    }
    const wished = await tasks.requestCancel(taskId, accountId);
    if (wished !== undefined) reached('cancel.wished', taskId);
    for await (const { isNudge } of looks(patience)) {
      const task = await tasks.find(taskId, accountId);
      if (task === undefined) {
        throw new GatewayError('task_not_found', 'there is no such task in this account');
      }
      const state =
        wished === undefined && task.status !== 'cancelled' ? 'refused' : cancelStateOf(task);
      if (state === 'cancelled') return task;
      if (state === 'refused') throw refusal(task);
      if (isNudge) hurry(task);
    }
    throw new GatewayError(
      'upstream_timeout',
      'the vendor has not said yet whether it cancels this task; the request stands: read the task, or ask again',
      { retryAfterMs: 1_000 },
    );
  };
}

const refusal = ({ status }: Task): GatewayError =>
  new GatewayError(
    'not_cancellable',
    isTerminal(status)
      ? `this task is ${status}, which never changes`
      : `this task is ${status}, and the vendor does not cancel it any more`,
  );
