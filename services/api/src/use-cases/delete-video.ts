import { describeError, GatewayError } from '@gateway/domain';
import type { Producer } from '@gateway/queue';
import type { Log } from '@gateway/runtime';
import type { TaskEndings } from '@gateway/store';
import { checks, type Patience } from './checks.ts';
import { insist } from './insist.ts';

export interface DeleteVideo {
  readonly taskId: string;
  readonly accountId: string;
}

export interface DeleteVideoPorts {
  readonly markDeleted: TaskEndings['markDeleted'];
  readonly wake: Producer['wake'];
  /** Removes files and rows of the marked task. */
  readonly purge: (taskId: string) => Promise<void>;
  /** Counts a task that its customer deleted. */
  readonly onDeleted: () => void;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly patience: Patience;
}

/**
 * Deletes a finished task. The mark is the deletion, in one statement: nobody sees the task from
 * then on. Files and then rows follow, if need be through the reconciler. Throws task_not_found,
 * task_not_terminal, or billing_unavailable while the task is not settled.
 */
export function createDeleteVideo(
  ports: DeleteVideoPorts,
): (request: DeleteVideo) => Promise<void> {
  const { markDeleted, wake, patience } = ports;
  return async ({ taskId, accountId }) => {
    for await (const { isNudge } of checks(patience)) {
      const { value, isRepeated } = await insist(() => markDeleted(taskId, accountId), patience);
      switch (value) {
        case 'marked':
          return purgeNow(taskId, ports);
        case 'missing':
          // The attempt that got no response has deleted it.
          if (isRepeated) return purgeNow(taskId, ports);
          throw new GatewayError('task_not_found', 'there is no such task in this account');
        case 'live':
          throw new GatewayError(
            'task_not_terminal',
            'this task is not finished; cancel it first, or wait until it finishes',
          );
        case 'unsettled':
          // A task goes only when what it owes is in the books.
          if (isNudge) void wake('billing.settle', taskId, { hurry: true });
      }
    }
    throw new GatewayError(
      'billing_unavailable',
      'this task is finished but not settled yet; nothing was deleted, try again',
      { retryAfterMs: 1_000 },
    );
  };
}

async function purgeNow(
  taskId: string,
  { purge, onDeleted, log }: DeleteVideoPorts,
): Promise<void> {
  log.info('task deleted', { taskId });
  onDeleted();
  await purge(taskId).catch((error: unknown) => {
    log.warn('files or rows of a deleted task not removed, left to the reconciler', {
      taskId,
      reason: describeError(error),
    });
  });
}
