import { randomBytes } from 'node:crypto';
import { Router } from 'express';
import {
  createCallbackTestReader,
  createEndpointReader,
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
  createEndpoints,
  createTaskCallbacks,
  createTaskReads,
  newCallbackSecret,
  type CallbackDeliveries,
} from '@gateway/store';
import type { Authenticate } from '../http/authentication.ts';
import type { BodyRoutes } from '../http/json-body.ts';
import { accountCallbackRoutes } from '../http/routes/account-callbacks.ts';
import { callbackRoutes } from '../http/routes/callbacks.ts';
import { endpointRoutes } from '../http/routes/endpoints.ts';
import { createManageEndpoints } from '../use-cases/manage-endpoints.ts';
import { createRedeliverMany } from '../use-cases/redeliver-many.ts';
import { createTestCallback, createWithConsent } from '../use-cases/test-callback.ts';
import { createRedeliver } from '../use-cases/redeliver.ts';
import type { Settings } from '../config.ts';
import type { Clients } from './clients.ts';

/** The delivery log, and redeliveries that wake the dispatcher. */
export function buildDeliveries(
  { database, producer }: Pick<Clients, 'database' | 'producer'>,
  {
    redeliver,
    redeliverTask,
  }: Pick<CallbackDeliveries, 'redeliver' | 'redeliverTask'> = createCallbackDeliveries(database),
): CallbackDeliveries {
  const { wake } = producer;
  return {
    ...createCallbackDeliveries(database),
    redeliver: createRedeliver({ redeliver, wake }),
    redeliverTask: createRedeliver({ redeliver: redeliverTask, wake }),
  };
}

type CallbackClients = Pick<Clients, 'database' | 'producer' | 'limits' | 'clock'>;

interface AddressRules {
  readonly settings: Readonly<Settings>;
  readonly rule: UrlRule;
}

/** 256 bits, as those of pushes. */
const challengeBytes = 32;

/** Test events and consents go the way of pushes: by the same rule, signed with the same secrets. */
function buildTests(
  { database, limits, clock }: CallbackClients,
  { settings, rule }: AddressRules,
) {
  const client = createOutboundClient({
    ...rule,
    egressProxy: parseEgressProxy(settings.CALLBACK_EGRESS_PROXY),
    userAgent: 'generation-gateway-callbacks/0.1',
  });
  const ports = {
    problemOf(url: string) {
      const verdict = checkOutboundUrl(url, rule);
      return verdict.ok ? undefined : verdict.message;
    },
    post: client.post,
    validSecrets: createCallbackSecrets(database).valid,
    limits,
    now: clock.date,
    newId: () => newId('attempt'),
    newChallenge: () => randomBytes(challengeBytes).toString('base64url'),
    redact: (text: string) => String(redact(text)),
  };
  return {
    testCallback: createTestCallback(ports),
    endpoints: createManageEndpoints({
      endpoints: createEndpoints(database),
      problemOf: ports.problemOf,
      withConsent: createWithConsent(ports),
      newId: () => newId('endpoint'),
      most: settings.ENDPOINTS_PER_ACCOUNT,
    }),
  };
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
  const { testCallback, endpoints } = buildTests(clients, address);
  return Router().use(
    endpointRoutes({
      authenticate,
      endpoints,
      testCallback,
      read: createEndpointReader(),
      bodies,
    }),
    accountCallbackRoutes({
      authenticate,
      callbackPage: page,
      redeliverMany: (accountId, asked) => redeliverMany(accountId, { ...asked, accountId }),
      testCallback,
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
