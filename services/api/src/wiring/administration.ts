import { Router, type RequestHandler } from 'express';
import { createAdminRequestReader, createOperatorRedeliveryReader } from '@gateway/contracts';
import { createQueueCounts } from '@gateway/queue';
import {
  newId,
  share,
  type LiveConfiguration,
  type Part,
  type PeerAddress,
} from '@gateway/runtime';
import {
  createAccountReads,
  createAccounts,
  createAdjustments,
  createAdministration,
  createCallbackSecrets,
  createExposureLists,
  createGoneModels,
  createLedger,
  createLedgerReads,
  createJournal,
  createMarginReads,
  createOperatorFeed,
  createOperatorActions,
  createStatusReads,
  createTaskCallbacks,
  createTaskDetails,
  createTaskOverviews,
  createTaskReads,
  createTaskTries,
  createUsageReads,
  hashOfKey,
  createSessions,
  keyScopes,
  operatorOwner,
  usualKeyScopes,
  type CallbackDeliveries,
} from '@gateway/store';
import type { VideoMetrics } from '../adapters/video-metrics.ts';
import type { Settings } from '../config.ts';
import { createGuessLimit } from '../adapters/guess-limit.ts';
import { noStore, requireOperator, requireSession } from '../http/admin-token.ts';
import type { BodyRoutes } from '../http/json-body.ts';
import { adminAccountRoutes } from '../http/routes/admin/accounts.ts';
import { adminCallbackRoutes } from '../http/routes/admin/callbacks.ts';
import { adminEventRoutes } from '../http/routes/admin/events.ts';
import { adminExposureRoutes } from '../http/routes/admin/exposures.ts';
import { adminMarginRoutes } from '../http/routes/admin/margin.ts';
import { adminOperationRoutes } from '../http/routes/admin/operations.ts';
import { adminRouteRoutes } from '../http/routes/admin/routes.ts';
import { adminStatusRoutes } from '../http/routes/admin/status.ts';
import { adminSessionRoutes } from '../http/routes/admin/sessions.ts';
import { mostBehind } from '../use-cases/follow-accounts.ts';
import { createRedeliverMany } from '../use-cases/redeliver-many.ts';
import { buildDeliveries } from './callbacks.ts';
import { buildCancel } from './cancel-and-delete.ts';
import type { Clients } from './clients.ts';
import type { EventParts } from './event-streams.ts';
import { sessionBasics } from './sessions.ts';

const bodyLimitBytes = 65_536;

interface AdministrationParts extends Pick<
  Clients,
  'database' | 'clock' | 'producer' | 'storage' | 'log' | 'replicaId' | 'limits'
> {
  readonly counts: VideoMetrics;
  readonly events: EventParts;
  readonly configuration: LiveConfiguration;
  readonly peerOf: PeerAddress;
}

/**
 * `/admin/v1`, for holders of ADMIN_TOKEN. Without that setting there is nothing of it, not even a
 * connection.
 */
export function buildAdministration(
  settings: Readonly<Settings>,
  parts: AdministrationParts,
  bodies: Pick<BodyRoutes, 'small'>,
): { readonly routes: Router; readonly parts: readonly Part[] } {
  const { database, clock, log } = parts;
  const routes = Router();
  const { ADMIN_TOKEN: adminToken, REDIS_URL: redisUrl, QUEUE_PREFIX: prefix } = settings;
  if (adminToken === undefined) return { routes, parts: [] };
  const accounts = createAccounts(database);
  const ledger = createLedger(database);
  const actions = createOperatorActions(database, 'api');
  const queueCounts = createQueueCounts({ redisUrl, prefix, log });
  const read = createAdminRequestReader({
    scopes: keyScopes,
    usualScopes: usualKeyScopes,
    now: clock.date,
  });
  const json = bodies.small(bodyLimitBytes);
  routes.use(buildOperatorAccess(settings, adminToken, parts));
  routes.use(
    adminAccountRoutes({
      read,
      administration: createAdministration({
        accounts,
        ledger,
        adjustments: createAdjustments(database),
        callbackSecrets: createCallbackSecrets(database),
        newId,
      }),
      accounts: createAccountReads(database),
      revokeKey: accounts.revokeKey,
      actions,
      log,
      ledgerPage: createLedgerReads(database).page,
      usageByDay: createUsageReads(database).byDay,
      now: clock.date,
      json,
    }),
  );
  routes.use(adminRouteRoutes({ read, goneModels: createGoneModels(database), json, log }));
  const deliveries = buildDeliveries(parts, actions);
  routes.use(
    adminOperationRoutes({
      tasks: createTaskOverviews(database),
      findTask: createTaskReads(database).find,
      findDetails: createTaskDetails(database).find,
      cancelVideo: buildCancel(actions, { ...parts, waitMs: settings.OUTCOME_WAIT_MS }),
      journalPage: createJournal(database).page,
      now: clock.date,
      tries: createTaskTries(database),
      ledger,
      queueCounts: queueCounts.read,
      deliveries,
    }),
  );
  routes.use(buildCallbackLists(parts, deliveries, json), buildReports(parts));
  return { routes, parts: [queueCounts.part] };
}

/** Who is an operator: holders of the token, and browsers that signed in with it. */
function buildOperatorAccess(
  settings: Readonly<Settings>,
  adminToken: string,
  { database, peerOf }: AdministrationParts,
): Router {
  const { sessions, ...basics } = sessionBasics(settings, { database });
  // Of one token alone: with another one, sessions of the one before are found no more.
  const hashedOf = (secret: string): string => `${secret}:${adminToken}`;
  const guesses = createGuessLimit({
    perMinute: settings.UNKNOWN_KEYS_PER_MINUTE,
    now: () => performance.now(),
  });
  const findSession = (secret: string) => sessions.findOperator(hashOfKey(hashedOf(secret)));
  const routes = Router();
  routes.use('/admin/v1', requireOperator({ adminToken, peerOf, guesses, findSession }), noStore);
  return routes.use(adminSessionRoutes({ ...basics, sessions, hashedOf }));
}

/** The callbacks of all accounts; many are redelivered for one operator at a time. */
function buildCallbackLists(
  { database, limits: { slots } }: AdministrationParts,
  { redeliver }: Pick<CallbackDeliveries, 'redeliver'>,
  json: RequestHandler,
): Router {
  const { pageOfAll } = createTaskCallbacks(database);
  const redeliverMany = createRedeliverMany({ page: pageOfAll, redeliver, slots });
  return adminCallbackRoutes({
    callbackPage: pageOfAll,
    redeliverMany: (asked) => redeliverMany('operators', asked),
    read: createOperatorRedeliveryReader(),
    json,
  });
}

/** How everything stands, what it came to, and what happens. */
const buildReports = (parts: AdministrationParts): Router =>
  Router().use(buildMargin(parts), buildStatus(parts), buildEvents(parts));

/** What happens to the tasks of all accounts. */
const buildEvents = ({ database, clock, events }: AdministrationParts): Router => {
  const { find } = createSessions(database);
  return adminEventRoutes({
    ...events,
    openFeed: () => createOperatorFeed(database),
    most: mostBehind,
    now: clock.date,
    stillAllowed: requireSession((id) => find(id, operatorOwner)),
  });
};

const statusFreshMs = 1_000;

const buildStatus = ({ database, configuration, replicaId }: AdministrationParts): Router =>
  adminStatusRoutes({
    readStatus: share(createStatusReads(database).read, {
      freshMs: statusFreshMs,
      now: () => performance.now(),
    }),
    replicaId,
    configuration: configuration.current,
  });

/** What comes in, what goes out, and what nobody is billed for. */
const buildMargin = ({ database, configuration, clock }: AdministrationParts): Router =>
  Router().use(
    adminExposureRoutes(createExposureLists(database)),
    adminMarginRoutes({
      marginOf: createMarginReads(database).ofPeriod,
      quotaPerCurrency: () => configuration.current().quotaPerCurrency,
      now: clock.date,
    }),
  );
