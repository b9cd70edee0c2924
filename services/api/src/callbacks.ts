import { randomBytes } from 'node:crypto';
import { createRotationReader } from '@gateway/contracts';
import type { Producer } from '@gateway/queue';
import { createCallbackDeliveries, createCallbackSecrets, type Database } from '@gateway/store';
import type { CallbackRoutesOptions } from './http/routes/callbacks.ts';

/** Bytes of a callback secret; Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** What customers see of their callbacks, and the secrets that sign them. */
export function buildCallbacks({
  database,
  producer,
}: {
  readonly database: Database;
  readonly producer: Producer;
}): Omit<CallbackRoutesOptions, 'authenticate' | 'findTask'> {
  const deliveries = createCallbackDeliveries(database);
  return {
    deliveries: {
      summary: deliveries.summary,
      attempts: deliveries.attempts,
      async redeliver(taskId) {
        const asked = await deliveries.redeliver(taskId);
        if (asked) void producer.wake('callback.push', taskId, { hurry: true });
        return asked;
      },
    },
    secrets: createCallbackSecrets(database),
    newSecret: () => `whsec_${randomBytes(secretBytes).toString('base64')}`,
    read: createRotationReader(),
  };
}
