// SQL by hand: sums by day over two kinds of usage; and what an account has available, which every
// text request waits for.
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
  readonly outputTokens: number;
  readonly estimatedRequests: number;
  readonly abortedRequests: number;
  /** Billed seconds of video. */
  readonly seconds: number;
  /** With the parts of a unit that text costs. */
  readonly quota: number;
}

export interface UsageReads {
  byDay(question: UsageQuestion): Promise<UsageDay[]>;
  /** Quota that is neither held nor spent; 0 for an account that never had any. */
  availableOf(accountId: string): Promise<number>;
}

const byDaySql = `
  WITH bounds AS (SELECT $2::date::timestamp AT TIME ZONE 'UTC' AS first, ($3::date + 1)::timestamp AT TIME ZONE 'UTC' AS past)
  SELECT (started_at AT TIME ZONE 'UTC')::date::text AS day, model, key_id AS "keyId", 'text' AS kind, count(*) AS requests,
    sum(input_tokens)::float8 AS "inputTokens", sum(cached_input_tokens)::float8 AS "cachedInputTokens", sum(cache_write_tokens)::float8 AS "cacheWriteTokens",
    sum(output_tokens)::float8 AS "outputTokens", count(*) FILTER (WHERE estimated) AS "estimatedRequests", count(*) FILTER (WHERE outcome = 'aborted') AS "abortedRequests",
    0::bigint AS seconds, (sum(cost_nano) / 1000000000)::float8 AS quota
  FROM usage_record, bounds
  WHERE account_id = $1 AND started_at >= first AND started_at < past AND ($4::text IS NULL OR model = $4) AND ($5::text IS NULL OR key_id = $5)
  GROUP BY 1, 2, 3
  UNION ALL
  SELECT (completed_at AT TIME ZONE 'UTC')::date::text, model, key_id, 'video', count(*), 0, 0, 0, 0, 0, 0, sum(billed_seconds), sum(billed_quota)::float8
  FROM (
    SELECT account_id, key_id, model, completed_at, billed_seconds, billed_quota FROM task WHERE account_id = $1
    UNION ALL SELECT account_id, key_id, model, completed_at, billed_seconds, billed_quota FROM deleted_task WHERE account_id = $1) video, bounds
  WHERE account_id = $1 AND completed_at >= first AND completed_at < past AND ($4::text IS NULL OR model = $4) AND ($5::text IS NULL OR key_id = $5)
  GROUP BY 1, 2, 3
  ORDER BY 1, 2, 3, 4`;

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
    async availableOf(accountId) {
      const { rows } = await pool.query<{ available: number }>({
        name: 'available-of',
        text: 'SELECT balance - held AS available FROM balance WHERE account_id = $1',
        values: [accountId],
      });
      return rows[0]?.available ?? 0;
    },
  };
}
