import type { RedeliveryBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { Slots } from '@gateway/limits';
import type { CallbackDeliveries, LookedThrough, TaskCallback } from '@gateway/store';

/** `Asked`: whose callbacks, beside what every redelivery of many says. */
export interface RedeliverManyPorts<Asked extends RedeliveryBody> {
  readonly page: (asked: Asked) => Promise<LookedThrough<TaskCallback>>;
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
 * Has the newest status of the next matching tasks pushed again, for one request of `who` at a time.
 * May be repeated: a task whose redelivery was asked for and not attempted yet is asked for once.
 * Throws rate_limit_exceeded.
 */
export const createRedeliverMany =
  <Asked extends RedeliveryBody>({ page, redeliver, slots }: RedeliverManyPorts<Asked>) =>
  async (who: string, asked: Asked): Promise<Redelivered> => {
    const slot = await slots.acquire(`redeliver:${who}`, mostAtOnce);
    if (slot === undefined) {
      throw new GatewayError(
        'rate_limit_exceeded',
        'callbacks are being redelivered by another request of yours; wait for it to end',
        { retryAfterMs },
      );
    }
    try {
      const { items, lastId, hasMore } = await page(asked);
      const taskIds: string[] = [];
      for (const { taskId, endpointId } of items) {
        const callbackId = endpointId === null ? taskId : `${taskId}.${endpointId}`;
        // A task may be deleted meanwhile.
        if (asked.isDryRun || (await redeliver(callbackId))) taskIds.push(taskId);
      }
      return { taskIds, lastId, hasMore };
    } finally {
      slot.release();
    }
  };
