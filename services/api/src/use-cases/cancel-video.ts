import type { Task } from '@gateway/contracts';
import { cancelPathAt, GatewayError, isTerminal } from '@gateway/domain';
import type { Producer } from '@gateway/queue';
import { reached, type Log } from '@gateway/runtime';
import type { TaskEndings, TaskReads } from '@gateway/store';
import { checks, type Patience } from './checks.ts';
import { insist } from './insist.ts';

export interface CancelVideo {
  readonly taskId: string;
  readonly accountId: string;
}

export interface CancelVideoPorts {
  readonly tasks: Pick<TaskEndings, 'cancelUnsubmitted' | 'requestCancel'> &
    Pick<TaskReads, 'findOrArchived'>;
  readonly wake: Producer['wake'];
  /** Removes what was stored for the task; never rejects. */
  readonly removeReferences: (task: Pick<Task, 'id' | 'request'>) => Promise<void>;
  /** Counts a task that ended before any vendor was asked for it. */
  readonly onCancelledAtOnce: () => void;
  readonly log: Pick<Log, 'info'>;
  readonly patience: Patience;
}

/** What came of a cancel request. `pending`: the vendor was not asked yet, or has not responded. */
export type CancelState = 'cancelled' | 'refused' | 'pending';

/** Pure: the row says it all, because the worker clears the request when the vendor refuses. */
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
 * Cancels a task. One that no vendor was asked for ends here; for any other the cancel request is
 * written down, the worker asks the vendor, and this waits a short while for the outcome. Throws
 * task_not_found, not_cancellable, or upstream_timeout: then the request stands, and asking again
 * asks for the same.
 */
export function createCancelVideo(
  ports: CancelVideoPorts,
): (request: CancelVideo) => Promise<Task> {
  const { tasks, patience } = ports;
  return async ({ taskId, accountId }) => {
    reached('cancel.asked', taskId);
    const ended = await insist(() => tasks.cancelUnsubmitted(taskId, accountId), patience);
    if (ended.value !== undefined) {
      reached('cancel.ended', taskId);
      followUp(ended.value, ports);
      return ended.value;
    }
    const { value: requested } = await insist(
      () => tasks.requestCancel(taskId, accountId),
      patience,
    );
    if (requested !== undefined) reached('cancel.requested', taskId);
    const task = await awaitOutcome(ports, {
      taskId,
      accountId,
      isRequested: requested !== undefined,
    });
    // Perhaps it had ended here already, and the response was lost.
    if (ended.isRepeated) followUp(task, ports);
    return task;
  };
}

/** Resolves with the cancelled task. */
async function awaitOutcome(
  { tasks, wake, patience }: CancelVideoPorts,
  { taskId, accountId, isRequested }: CancelVideo & { readonly isRequested: boolean },
): Promise<Task> {
  for await (const { isNudge } of checks(patience)) {
    const task = await tasks.findOrArchived(taskId, accountId);
    if (task === undefined) {
      throw new GatewayError('task_not_found', 'there is no such task in this account');
    }
    const state = !isRequested && task.status !== 'cancelled' ? 'refused' : cancelStateOf(task);
    if (state === 'cancelled') return task;
    if (state === 'refused') throw refusal(task);
    // The worker may have put its next poll off.
    if (isNudge) void wake('video.advance', taskId, { requestId: task.requestId, hurry: true });
  }
  throw new GatewayError(
    'upstream_timeout',
    'the vendor has not yet confirmed the cancellation; the request stands: read the task, or cancel it again',
    { retryAfterMs: 1_000 },
  );
}

/** What else is due once a task has ended here, which no worker has seen. Waits for nothing. */
function followUp(
  task: Task,
  { wake, removeReferences, onCancelledAtOnce, log }: CancelVideoPorts,
): void {
  const { id, requestId, callbackUrl } = task;
  log.info('task moved', { taskId: id, from: 'queued', to: 'cancelled' });
  onCancelledAtOnce();
  void wake('billing.settle', id, { requestId });
  if (callbackUrl !== null) void wake('callback.push', id, { requestId });
  void removeReferences(task);
}

const refusal = ({ status }: Task): GatewayError =>
  new GatewayError(
    'not_cancellable',
    isTerminal(status)
      ? `this task is ${status}, which never changes`
      : `this task is ${status}, and its vendor can no longer cancel it`,
  );
