import { GatewayError } from '@gateway/domain';
import { looks, type Patience } from './looks.ts';

export interface DeleteVideo {
  readonly taskId: string;
  readonly accountId: string;
}

export interface DeleteVideoPorts {
  readonly markDeleted: (
    taskId: string,
    accountId: string,
  ) => Promise<'marked' | 'missing' | 'live' | 'unsettled'>;
  /** Wakes billing: a task goes only when what it owes is in the books. */
  readonly hurrySettlement: (taskId: string) => void;
  /** Removes files and rows of the marked task; what fails is left to the reconciler. */
  readonly purge: (taskId: string) => Promise<void>;
  readonly patience: Patience;
}

/**
 * Deletes a finished task. The mark is the deletion, in one statement: nobody sees the task from
 * then on. Files and then rows follow. Throws task_not_found, task_not_terminal, or
 * billing_unavailable while the task is not settled.
 */
export function createDeleteVideo({
  markDeleted,
  hurrySettlement,
  purge,
  patience,
}: DeleteVideoPorts): (request: DeleteVideo) => Promise<void> {
  return async ({ taskId, accountId }) => {
    for await (const { isNudge } of looks(patience)) {
      switch (await markDeleted(taskId, accountId)) {
        case 'marked':
          return purge(taskId);
        case 'missing':
          throw new GatewayError('task_not_found', 'there is no such task in this account');
        case 'live':
          throw new GatewayError(
            'task_not_terminal',
            'this task is not finished; cancel it first, or wait for its end',
          );
        case 'unsettled':
          if (isNudge) hurrySettlement(taskId);
      }
    }
    throw new GatewayError(
      'billing_unavailable',
      'this task is finished but not settled yet; nothing was deleted, try again',
      { retryAfterMs: 1_000 },
    );
  };
}
