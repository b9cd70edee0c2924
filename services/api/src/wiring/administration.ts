import { Router } from 'express';
import { createAdminRequestReader } from '@gateway/contracts';
import { createQueueCounts } from '@gateway/queue';
import { newId, type LiveConfiguration, type Part } from '@gateway/runtime';
import {
  createAccountReads,
  createAccounts,
  createAdjustments,
  createAdministration,
  createCallbackSecrets,
  createLedger,
  createLedgerReads,
  createMarginReads,
  createTaskOverviews,
  createTaskReads,
  createTaskTries,
  keyScopes,
  usualKeyScopes,
} from '@gateway/store';
import type { Settings } from '../config.ts';
import { noStore, requireAdminToken } from '../http/admin-token.ts';
import type { BodyRoutes } from '../http/json-body.ts';
import { adminAccountRoutes } from '../http/routes/admin/accounts.ts';
import { adminMarginRoutes } from '../http/routes/admin/margin.ts';
import { adminOperationRoutes } from '../http/routes/admin/operations.ts';
import { buildDeliveries } from './callbacks.ts';
import type { Clients } from './clients.ts';

const bodyLimitBytes = 65_536;

interface AdministrationParts extends Pick<Clients, 'database' | 'clock' | 'producer' | 'log'> {
  readonly configuration: LiveConfiguration;
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
  const { database, clock, producer, log } = parts;
  const routes = Router();
  const { ADMIN_TOKEN: adminToken, REDIS_URL: redisUrl, QUEUE_PREFIX: prefix } = settings;
  if (adminToken === undefined) return { routes, parts: [] };
  const accounts = createAccounts(database);
  const ledger = createLedger(database);
  const queueCounts = createQueueCounts({ redisUrl, prefix, log });
  routes.use('/admin/v1', requireAdminToken(adminToken), noStore);
  routes.use(
    adminAccountRoutes({
      read: createAdminRequestReader({
        scopes: keyScopes,
        usualScopes: usualKeyScopes,
        now: clock.date,
      }),
      administration: createAdministration({
        accounts,
        ledger,
        adjustments: createAdjustments(database),
        callbackSecrets: createCallbackSecrets(database),
        newId,
      }),
      accounts: createAccountReads(database),
      revokeKey: accounts.revokeKey,
      setSuspended: accounts.setSuspended,
      log,
      ledgerPage: createLedgerReads(database).page,
      json: bodies.small(bodyLimitBytes),
    }),
  );
  routes.use(
    adminOperationRoutes({
      tasks: createTaskOverviews(database),
      findTask: createTaskReads(database).find,
      tries: createTaskTries(database),
      ledger,
      queueCounts: queueCounts.read,
      deliveries: buildDeliveries({ database, producer }),
    }),
  );
  routes.use(buildMargin(parts));
  return { routes, parts: [queueCounts.part] };
}

const buildMargin = ({ database, configuration, clock }: AdministrationParts): Router =>
  adminMarginRoutes({
    marginOf: createMarginReads(database).ofPeriod,
    quotaPerCurrency: () => configuration.current().quotaPerCurrency,
    now: clock.date,
  });
