import type { Router } from 'express';
import { createRotationReader } from '@gateway/contracts';
import {
  createCallbackDeliveries,
  createCallbackSecrets,
  createTaskReads,
  newCallbackSecret,
  type CallbackDeliveries,
} from '@gateway/store';
import type { Authenticate } from '../http/authentication.ts';
import type { BodyRoutes } from '../http/json-body.ts';
import { callbackRoutes } from '../http/routes/callbacks.ts';
import { createRedeliver } from '../use-cases/redeliver.ts';
import type { Clients } from './clients.ts';

/** The delivery log, and redeliveries that wake the dispatcher. */
export function buildDeliveries({
  database,
  producer,
}: Pick<Clients, 'database' | 'producer'>): CallbackDeliveries {
  const { summary, attempts, redeliver } = createCallbackDeliveries(database);
  return {
    summary,
    attempts,
    redeliver: createRedeliver({ redeliver, wake: producer.wake }),
  };
}

/** What customers see of their callbacks, and the secrets that sign them. */
export const buildCallbacks = (
  clients: Pick<Clients, 'database' | 'producer'>,
  authenticate: Authenticate,
  bodies: BodyRoutes,
): Router =>
  callbackRoutes({
    authenticate,
    findTask: createTaskReads(clients.database).findOrArchived,
    deliveries: buildDeliveries(clients),
    secrets: createCallbackSecrets(clients.database),
    newSecret: newCallbackSecret,
    read: createRotationReader(),
    bodies,
  });
