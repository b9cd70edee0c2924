import type { Producer } from '@gateway/queue';
import type { CallbackDeliveries } from '@gateway/store';

export interface RedeliverPorts extends Pick<CallbackDeliveries, 'redeliver'> {
  readonly wake: Producer['wake'];
}

/** Notes that the newest status is to be pushed once more, and hurries the dispatcher. */
export const createRedeliver =
  ({ redeliver, wake }: RedeliverPorts): CallbackDeliveries['redeliver'] =>
  async (taskId) => {
    const isNoted = await redeliver(taskId);
    if (isNoted) void wake('callback.push', taskId, { hurry: true });
    return isNoted;
  };
