import { Router, type Request } from 'express';
import { readDayPeriod } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type {
  Ledger,
  LedgerEntry,
  LedgerReads,
  UsageDay,
  UsageHour,
  UsageQuestion,
  UsageReads,
} from '@gateway/store';
import { entryField } from '../../use-cases/entry-id.ts';
import { readField, type QueryField } from '../../use-cases/query-field.ts';
import { pageNames, readPageQuery } from '../../use-cases/read-page-query.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import { sendCsv } from '../csv.ts';
import { listOf } from '../list-resource.ts';
import { onlyMethods } from '../methods.ts';
import { queryText, queryTexts } from '../query-text.ts';

export interface BillingRoutesOptions {
  readonly authenticate: Authenticate;
  readonly balanceOf: Ledger['balanceOf'];
  readonly ledgerPage: LedgerReads['page'];
  readonly usage: UsageReads;
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
  usage,
  now,
}: BillingRoutesOptions): Router {
  const router = Router();
  const byHour = async (question: UsageQuestion): Promise<UsageHour[]> =>
    withinMost(await usage.byHour(question, mostRows + 1));
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
      const { question, isByHour, isCsv } = readUsageQuery(request, now());
      const { accountId } = callerOf(response);
      const rows = await (isByHour ? byHour : usage.byDay)({ accountId, ...question });
      response.set('cache-control', 'no-store');
      const { from, to } = question;
      if (isCsv) await sendCsv(response, `usage-${from}-${to}`, rows.map(csvRow));
      else response.json({ object: 'list', data: rows.map(usageResource), from, to });
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

/** Rows of one report by hour; whoever has more asks for fewer days, or for one model or key. */
const mostRows = 50_000;

function withinMost(rows: UsageHour[]): UsageHour[] {
  if (rows.length <= mostRows) return rows;
  throw new GatewayError(
    'invalid_parameter',
    `the report has more than ${mostRows} rows; ask for fewer days, or for one model or key`,
    { param: 'from' },
  );
}

/** By hour a period is shorter, and of the days whose single rows are surely there. */
const hourBounds = { usualDays: 2, mostDays: 7, daysBack: 30 } as const;

const byField: QueryField<'day' | 'hour'> = {
  read: (text) => (text === 'day' || text === 'hour' ? text : undefined),
  mustBe: 'day or hour',
};
const formatField: QueryField<'json' | 'csv'> = {
  read: (text) => (text === 'json' || text === 'csv' ? text : undefined),
  mustBe: 'json or csv',
};

function readUsageQuery(request: Request, now: Date) {
  const isByHour = readField('by', queryText(request, 'by'), byField) === 'hour';
  const days = { from: queryText(request, 'from'), to: queryText(request, 'to') };
  return {
    isByHour,
    isCsv: readField('format', queryText(request, 'format'), formatField) === 'csv',
    question: {
      ...readDayPeriod(days, now, isByHour ? hourBounds : undefined),
      model: queryText(request, 'model'),
      keyId: queryText(request, 'key_id'),
    },
  };
}

const csvRow = (row: UsageDay | UsageHour) => {
  const { object: _object, ...cells } = usageResource(row);
  return cells;
};

export const usageResource = (day: UsageDay | UsageHour) => ({
  object: 'usage',
  day: day.day,
  ...('hour' in day && { hour: day.hour }),
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
