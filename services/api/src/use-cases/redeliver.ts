import { isId } from '@gateway/domain';
import type { Producer } from '@gateway/queue';
import type { CallbackDeliveries } from '@gateway/store';

export interface RedeliverPorts extends Pick<CallbackDeliveries, 'redeliver'> {
  readonly wake: Producer['wake'];
}

/** Notes that the newest status is to be pushed once more, and hurries the dispatcher. */
export const createRedeliver =
  ({ redeliver, wake }: RedeliverPorts): CallbackDeliveries['redeliver'] =>
  async (callbackId) => {
    const isNoted = await redeliver(callbackId);
    // Nobody is woken for an endpoint's.
    const isOfTask = isId('task', callbackId);
    if (isNoted && isOfTask) void wake('callback.push', callbackId, { hurry: true });
    return isNoted;
  };
