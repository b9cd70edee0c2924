import type { Router } from 'express';
import { createTaskReads } from '@gateway/store';
import { readReceiptKeys } from '../adapters/receipt-keys.ts';
import type { Settings } from '../config.ts';
import type { Authenticate } from '../http/authentication.ts';
import { receiptRoutes } from '../http/routes/receipts.ts';
import { createIssueReceipt } from '../use-cases/issue-receipt.ts';
import type { Clients } from './clients.ts';

/** Receipts; throws for keys that cannot be read. */
export function buildReceipts(
  { RECEIPT_KEYS: text = '', PUBLIC_BASE_URL: issuer }: Readonly<Settings>,
  { database }: Pick<Clients, 'database'>,
  authenticate: Authenticate,
): Router {
  const keys = readReceiptKeys(text);
  const { findOrArchived: findTask, findMedia } = createTaskReads(database);
  return receiptRoutes({
    authenticate,
    issueReceipt: createIssueReceipt({ findTask, findMedia, sign: keys?.sign, issuer }),
    published: keys?.published ?? [],
  });
}
