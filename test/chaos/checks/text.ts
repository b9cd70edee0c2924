import type { Evidence } from './evidence.ts';

export interface TextFindings {
  readonly problems: string[];
  readonly recorded: number;
}

/**
 * What a kill -9 of the api may lose: the usage of what ended within a tenth of a second before, or
 * ran for less than a second.
 */
const lostBeforeKillMs = 2_000;

/**
 * Usage of text is recorded once for each request; only what ended just before its process died may
 * be missing.
 */
export async function checkText({ stack, textCustomer, texts }: Evidence): Promise<TextFindings> {
  const { rows } = await stack.database.pool.query<{ request_id: string; records: number }>(
    'SELECT request_id, count(*) AS records FROM usage_record WHERE account_id = $1 GROUP BY request_id',
    [textCustomer.accountId],
  );
  const recorded = new Map(rows.map(({ request_id: requestId, records }) => [requestId, records]));
  const asked = new Set(texts.map(({ order }) => order.ref));
  const deaths = stack.ended.filter(({ process }) => process === 'api').map(({ atMs }) => atMs);
  const diedSoonAfter = (endedAtMs: number): boolean =>
    deaths.some((atMs) => atMs >= endedAtMs - 100 && atMs <= endedAtMs + lostBeforeKillMs);
  return {
    recorded: rows.length,
    problems: [
      ...rows
        .filter(({ records }) => records > 1)
        .map(
          ({ request_id: ref, records }) =>
            `${ref}: ${records} records of usage for one text request`,
        ),
      ...rows
        .filter(({ request_id: ref }) => !asked.has(ref))
        .map(({ request_id: ref }) => `${ref}: usage of a text request that nobody made`),
      ...texts
        .filter(
          ({ order, isWhole, endedAtMs }) =>
            isWhole && !recorded.has(order.ref) && !diedSoonAfter(endedAtMs),
        )
        .map(
          ({ order }) => `${order.ref}: its response arrived whole, and its usage was not recorded`,
        ),
    ],
  };
}
