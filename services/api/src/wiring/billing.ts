import type { Router } from 'express';
import type { SharedClock } from '@gateway/runtime';
import { createLedger, createLedgerReads, createUsageReads, type Database } from '@gateway/store';
import type { Authenticate } from '../http/authentication.ts';
import { billingRoutes } from '../http/routes/billing.ts';

/** What customers see of their quota and usage. */
export const buildBilling = (
  database: Database,
  authenticate: Authenticate,
  clock: SharedClock,
): Router =>
  billingRoutes({
    authenticate,
    balanceOf: createLedger(database).balanceOf,
    ledgerPage: createLedgerReads(database).page,
    usage: createUsageReads(database),
    now: clock.date,
  });
