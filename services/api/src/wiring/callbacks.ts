import { randomBytes } from 'node:crypto';
import { Router } from 'express';
import {
  createCallbackTestReader,
  createRedeliveryReader,
  createRotationReader,
  type RedeliveryBody,
} from '@gateway/contracts';
import {
  checkOutboundUrl,
  createOutboundClient,
  parseEgressProxy,
  type UrlRule,
} from '@gateway/outbound';
import { newId, redact } from '@gateway/runtime';
import {
  createCallbackDeliveries,
  createCallbackSecrets,
  createTaskCallbacks,
  createTaskReads,
  newCallbackSecret,
  type CallbackDeliveries,
} from '@gateway/store';
import type { Authenticate } from '../http/authentication.ts';
import type { BodyRoutes } from '../http/json-body.ts';
import { accountCallbackRoutes } from '../http/routes/account-callbacks.ts';
import { callbackRoutes } from '../http/routes/callbacks.ts';
import { createRedeliverMany } from '../use-cases/redeliver-many.ts';
import { createTestCallback } from '../use-cases/test-callback.ts';
import { createRedeliver } from '../use-cases/redeliver.ts';
import type { Settings } from '../config.ts';
import type { Clients } from './clients.ts';

/** The delivery log, and redeliveries that wake the dispatcher. */
export function buildDeliveries(
  { database, producer }: Pick<Clients, 'database' | 'producer'>,
  redeliver = createCallbackDeliveries(database).redeliver,
): CallbackDeliveries {
  const { summary, attempts } = createCallbackDeliveries(database);
  return {
    summary,
    attempts,
    redeliver: createRedeliver({ redeliver, wake: producer.wake }),
  };
}

type CallbackClients = Pick<Clients, 'database' | 'producer' | 'limits' | 'clock'>;

interface AddressRules {
  readonly settings: Readonly<Settings>;
  readonly rule: UrlRule;
}

/** 256 bits, as those of pushes. */
const challengeBytes = 32;

/** Test events go the way of pushes: by the same rule, signed with the same secrets. */
function buildTest({ database, limits, clock }: CallbackClients, { settings, rule }: AddressRules) {
  const client = createOutboundClient({
    ...rule,
    egressProxy: parseEgressProxy(settings.CALLBACK_EGRESS_PROXY),
    userAgent: 'generation-gateway-callbacks/0.1',
  });
  return createTestCallback({
    problemOf(url) {
      const verdict = checkOutboundUrl(url, rule);
      return verdict.ok ? undefined : verdict.message;
    },
    post: client.post,
    validSecrets: createCallbackSecrets(database).valid,
    limits,
    now: clock.date,
    newId: () => newId('attempt'),
    newChallenge: () => randomBytes(challengeBytes).toString('base64url'),
    redact: (text) => String(redact(text)),
  });
}

/** What customers see of their callbacks, and the secrets that sign them. */
export function buildCallbacks(
  clients: CallbackClients,
  {
    authenticate,
    bodies,
    ...address
  }: AddressRules & { readonly authenticate: Authenticate; readonly bodies: BodyRoutes },
): Router {
  const deliveries = buildDeliveries(clients);
  const { page } = createTaskCallbacks(clients.database);
  const redeliverMany = createRedeliverMany<RedeliveryBody & { readonly accountId: string }>({
    page,
    redeliver: deliveries.redeliver,
    slots: clients.limits.slots,
  });
  return Router().use(
    accountCallbackRoutes({
      authenticate,
      callbackPage: page,
      redeliverMany: (accountId, asked) => redeliverMany(accountId, { ...asked, accountId }),
      testCallback: buildTest(clients, address),
      read: createRedeliveryReader(),
      readTest: createCallbackTestReader(),
      bodies,
    }),
    callbackRoutes({
      authenticate,
      findTask: createTaskReads(clients.database).findOrArchived,
      deliveries,
      secrets: createCallbackSecrets(clients.database),
      newSecret: newCallbackSecret,
      read: createRotationReader(),
      bodies,
    }),
  );
}
