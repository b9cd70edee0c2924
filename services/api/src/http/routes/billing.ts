import { Router } from 'express';
import { readDayPeriod } from '@gateway/contracts';
import type { Ledger, LedgerEntry, LedgerReads, UsageDay, UsageReads } from '@gateway/store';
import { entryField } from '../../use-cases/entry-id.ts';
import { pageNames, readPageQuery } from '../../use-cases/read-page-query.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import { listOf } from '../list-resource.ts';
import { onlyMethods } from '../methods.ts';
import { queryText, queryTexts } from '../query-text.ts';

export interface BillingRoutesOptions {
  readonly authenticate: Authenticate;
  readonly balanceOf: Ledger['balanceOf'];
  readonly ledgerPage: LedgerReads['page'];
  readonly usageByDay: UsageReads['byDay'];
  readonly now: () => Date;
}

/**
 * What an account may know of its own quota: `/v1/billing/balance`, `/v1/billing/ledger` and
 * `/v1/usage`.
 */
export function billingRoutes({
  authenticate,
  balanceOf,
  ledgerPage,
  usageByDay,
  now,
}: BillingRoutesOptions): Router {
  const router = Router();
  router
    .route('/v1/billing/balance')
    .get(authenticated(authenticate, 'billing:read'), async (_request, response) => {
      const { balanceQuota, heldQuota, availableQuota, debtQuota } = await balanceOf(
        callerOf(response).accountId,
      );
      response.set('cache-control', 'no-store').json({
        object: 'balance',
        balance_quota: balanceQuota,
        held_quota: heldQuota,
        available_quota: availableQuota,
        debt_quota: debtQuota,
      });
    })
    .all(onlyMethods('GET'));
  router
    .route('/v1/billing/ledger')
    .get(authenticated(authenticate, 'billing:read'), async (request, response) => {
      const cursors = readPageQuery(queryTexts(request, pageNames), entryField);
      response
        .set('cache-control', 'no-store')
        .json(
          listOf(
            await ledgerPage({ accountId: callerOf(response).accountId, ...cursors }),
            entryResource,
          ),
        );
    })
    .all(onlyMethods('GET'));
  router
    .route('/v1/usage')
    .get(authenticated(authenticate, 'billing:read'), async (request, response) => {
      const period = readDayPeriod(
        { from: queryText(request, 'from'), to: queryText(request, 'to') },
        now(),
      );
      const days = await usageByDay({
        accountId: callerOf(response).accountId,
        ...period,
        model: queryText(request, 'model'),
        keyId: queryText(request, 'key_id'),
      });
      response
        .set('cache-control', 'no-store')
        .json({ object: 'list', data: days.map(usageResource), ...period });
    })
    .all(onlyMethods('GET'));
  return router;
}

export const entryResource = (entry: LedgerEntry) => ({
  id: entry.id,
  kind: entry.kind,
  task_id: entry.taskId,
  quota: entry.quota,
  balance_after: entry.balanceAfter,
  held_after: entry.heldAfter,
  created_at: entry.createdAt.toISOString(),
});

export const usageResource = (day: UsageDay) => ({
  object: 'usage',
  day: day.day,
  model: day.model,
  key_id: day.keyId,
  kind: day.kind,
  requests: day.requests,
  input_tokens: day.inputTokens,
  cached_input_tokens: day.cachedInputTokens,
  cache_write_tokens: day.cacheWriteTokens,
  cache_write_1h_tokens: day.cacheWrite1hTokens,
  output_tokens: day.outputTokens,
  server_tool_uses: day.serverToolUses,
  estimated_requests: day.estimatedRequests,
  aborted_requests: day.abortedRequests,
  seconds: day.seconds,
  quota: day.quota,
});
