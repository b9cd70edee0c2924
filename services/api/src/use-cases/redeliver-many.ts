import type { RedeliveryBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { Slots } from '@gateway/limits';
import type { CallbackDeliveries, TaskCallbacks } from '@gateway/store';

export interface RedeliverManyPorts {
  readonly callbacks: TaskCallbacks;
  readonly redeliver: CallbackDeliveries['redeliver'];
  readonly slots: Slots;
}

export interface Redelivered {
  readonly taskIds: readonly string[];
  /** Where to go on; null at the end. */
  readonly lastId: string | null;
  readonly hasMore: boolean;
}

const mostAtOnce = 1;
const retryAfterMs = 1_000;

/**
 * Has the newest status of the next matching tasks pushed again. May be repeated: a task whose
 * redelivery was asked for and not attempted yet is asked for once. Throws rate_limit_exceeded.
 */
export const createRedeliverMany =
  ({ callbacks, redeliver, slots }: RedeliverManyPorts) =>
  async (accountId: string, asked: RedeliveryBody): Promise<Redelivered> => {
    const slot = await slots.acquire(`redeliver:${accountId}`, mostAtOnce);
    if (slot === undefined) {
      throw new GatewayError(
        'rate_limit_exceeded',
        'callbacks of this account are being redelivered by another request; wait for it to end',
        { retryAfterMs },
      );
    }
    try {
      const { state, after, limit } = asked;
      const { items, lastId, hasMore } = await callbacks.page({ accountId, state, after, limit });
      const taskIds: string[] = [];
      for (const { taskId } of items) {
        // A task may be deleted meanwhile.
        if (asked.isDryRun || (await redeliver(taskId))) taskIds.push(taskId);
      }
      return { taskIds, lastId, hasMore };
    } finally {
      slot.release();
    }
  };
