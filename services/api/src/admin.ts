import express, { Router } from 'express';
import { createAdminRequestReader, type Task } from '@gateway/contracts';
import { createQueueCounts, type Producer } from '@gateway/queue';
import { newId, type Log, type Part } from '@gateway/runtime';
import {
  createAccountReads,
  createAccounts,
  createAdministration,
  createCallbackSecrets,
  createLedger,
  createLedgerReads,
  createTaskOverviews,
  keyScopes,
  type Database,
} from '@gateway/store';
import { buildCallbacks } from './callbacks.ts';
import type { Settings } from './config.ts';
import { requireAdminToken } from './http/admin-token.ts';
import { adminAccountRoutes } from './http/routes/admin/accounts.ts';
import { adminOperationRoutes } from './http/routes/admin/operations.ts';

export interface AdminParts {
  readonly settings: Readonly<Settings>;
  readonly database: Database;
  readonly producer: Producer;
  readonly findTask: (taskId: string) => Promise<Task | undefined>;
  readonly log: Log;
}

const bodyLimitBytes = 65_536;

/**
 * `/admin/v1`, for who has ADMIN_TOKEN. Without that setting there is nothing of it, not even a
 * connection.
 */
export function buildAdmin({ settings, database, producer, findTask, log }: AdminParts): {
  readonly routes: Router;
  readonly parts: readonly Part[];
} {
  const routes = Router();
  const { ADMIN_TOKEN: adminToken, REDIS_URL: redisUrl, QUEUE_PREFIX: prefix } = settings;
  if (adminToken === undefined) return { routes, parts: [] };
  const accounts = createAccounts(database);
  const ledger = createLedger(database);
  const queueCounts = createQueueCounts({ redisUrl, prefix, log });
  routes.use('/admin/v1', requireAdminToken(adminToken), (_request, response, next) => {
    response.set('cache-control', 'no-store');
    next();
  });
  routes.use(
    adminAccountRoutes({
      read: createAdminRequestReader({ scopes: keyScopes, now: () => new Date() }),
      administration: createAdministration({
        accounts,
        ledger,
        callbackSecrets: createCallbackSecrets(database),
        newId,
      }),
      accounts: createAccountReads(database),
      revokeKey: accounts.revokeKey,
      ledgerPage: createLedgerReads(database).page,
      json: express.json({ limit: bodyLimitBytes, strict: false, type: () => true }),
    }),
  );
  routes.use(
    adminOperationRoutes({
      tasks: createTaskOverviews(database),
      findTask,
      ledger,
      queueCounts: queueCounts.read,
      deliveries: buildCallbacks({ database, producer }).deliveries,
    }),
  );
  return { routes, parts: [queueCounts.part] };
}
