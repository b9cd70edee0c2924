// SQL by hand: sums by day over two kinds of usage.
import type { Database } from '../database/database.ts';

export interface UsageQuestion {
  readonly accountId: string;
  /** First and last day, both included, in UTC: `2026-11-21`. */
  readonly from: string;
  readonly to: string;
  readonly model?: string | undefined;
  readonly keyId?: string | undefined;
}

/**
 * What one key did with one model on one day. Text counts on the day it was asked for, video on the
 * day it ended.
 */
export interface UsageDay {
  readonly day: string;
  readonly model: string;
  readonly keyId: string;
  readonly kind: 'text' | 'video';
  readonly requests: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** Of `cacheWriteTokens`, those written for an hour. */
  readonly cacheWrite1hTokens: number;
  readonly outputTokens: number;
  /** Uses of tools that vendors run. */
  readonly serverToolUses: number;
  readonly estimatedRequests: number;
  readonly abortedRequests: number;
  /** Billed seconds of video. */
  readonly seconds: number;
  /** With the parts of a unit that text costs. */
  readonly quota: number;
}

/** The same of one hour. */
export interface UsageHour extends UsageDay {
  /** When it begins, in UTC: `2026-11-21T13:00:00Z`. */
  readonly hour: string;
}

export interface UsageReads {
  byDay(question: UsageQuestion): Promise<UsageDay[]>;
  /**
   * At most so many rows. Of usage whose single rows are gone nobody knows the hour: it is left out.
   */
  byHour(question: UsageQuestion, most: number): Promise<UsageHour[]>;
}

/** In the words of an index, so that a period costs what happened in it, however long the account's history is. */
const inPeriod = (column: string): string =>
  `${column} >= ($2::date::timestamp AT TIME ZONE 'UTC') AND ${column} < (($3::date + 1)::timestamp AT TIME ZONE 'UTC')`;

const dayOf = (column: string): string => `(${column} AT TIME ZONE 'UTC')::date::text`;
const hourOf = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24":00:00Z"')`;

/** Single records and bills by a part of time that `day` names here, and more rows of that kind. */
const usageSql = (partOf: (column: string) => string, more: string): string => `
  SELECT day, model, "keyId", kind, sum(requests)::bigint AS requests, sum("inputTokens") AS "inputTokens", sum("cachedInputTokens") AS "cachedInputTokens",
    sum("cacheWriteTokens") AS "cacheWriteTokens", sum("cacheWrite1hTokens") AS "cacheWrite1hTokens", sum("serverToolUses") AS "serverToolUses", sum("outputTokens") AS "outputTokens",
    sum("estimatedRequests")::bigint AS "estimatedRequests", sum("abortedRequests")::bigint AS "abortedRequests", sum(seconds)::bigint AS seconds, (sum(cost) / 1000000000)::float8 AS quota
  FROM (
  SELECT ${partOf('started_at')} AS day, model, key_id AS "keyId", 'text' AS kind, count(*) AS requests,
    sum(input_tokens)::float8 AS "inputTokens", sum(cached_input_tokens)::float8 AS "cachedInputTokens", sum(cache_write_tokens)::float8 AS "cacheWriteTokens",
    coalesce(sum(cache_write_1h_tokens), 0)::float8 AS "cacheWrite1hTokens", coalesce(sum(server_tool_uses), 0)::float8 AS "serverToolUses",
    sum(output_tokens)::float8 AS "outputTokens", count(*) FILTER (WHERE estimated) AS "estimatedRequests", count(*) FILTER (WHERE outcome = 'aborted') AS "abortedRequests",
    0::bigint AS seconds, sum(cost_nano) AS cost
  FROM usage_record
  WHERE account_id = $1 AND ${inPeriod('started_at')} AND ($4::text IS NULL OR model = $4) AND ($5::text IS NULL OR key_id = $5)
  GROUP BY 1, 2, 3
  UNION ALL
  SELECT ${partOf('completed_at')}, model, key_id, 'video', count(*), 0, 0, 0, 0, 0, 0, 0, 0, sum(billed_seconds), sum(billed_quota) * 1000000000
  FROM (
    SELECT account_id, key_id, model, completed_at, billed_seconds, billed_quota FROM task WHERE account_id = $1
    UNION ALL SELECT account_id, key_id, model, completed_at, billed_seconds, billed_quota FROM deleted_task WHERE account_id = $1
    UNION ALL SELECT account_id, key_id, model, completed_at, billed_seconds, billed_quota FROM archived_task WHERE account_id = $1) video
  WHERE completed_at IS NOT NULL AND ${inPeriod('completed_at')} AND ($4::text IS NULL OR model = $4) AND ($5::text IS NULL OR key_id = $5)
  GROUP BY 1, 2, 3
  ${more}) parts
  GROUP BY 1, 2, 3, 4
  ORDER BY 1, 2, 3, 4`;

/** The sums that are left of older ones: a day may have of each. */
const byDaySql = usageSql(
  dayOf,
  `UNION ALL
  SELECT day::text, model, key_id, kind, requests, input_tokens, cached_input_tokens, cache_write_tokens, cache_write_1h_tokens, server_tool_uses, output_tokens, estimated_requests,
    aborted_requests, seconds, cost_nano
  FROM usage_day WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND ($4::text IS NULL OR model = $4) AND ($5::text IS NULL OR key_id = $5)`,
);
const byHourSql = `${usageSql(hourOf, '')} LIMIT $6`;

export function createUsageReads({ pool }: Database): UsageReads {
  return {
    async byDay({ accountId, from, to, model, keyId }) {
      const { rows } = await pool.query<UsageDay>({
        name: 'usage-by-day',
        text: byDaySql,
        values: [accountId, from, to, model ?? null, keyId ?? null],
      });
      return rows;
    },
    async byHour({ accountId, from, to, model, keyId }, most) {
      const { rows } = await pool.query<UsageDay>({
        name: 'usage-by-hour',
        text: byHourSql,
        values: [accountId, from, to, model ?? null, keyId ?? null, most],
      });
      return rows.map((row) => ({ ...row, day: row.day.slice(0, 10), hour: row.day }));
    },
  };
}
