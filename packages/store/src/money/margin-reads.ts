// SQL by hand: sums by day over what was billed and what vendors asked for.
import type { DayPeriod, ExposedWork, MarginReport, MarginRow } from '@gateway/contracts';
import type { Database } from '../database/database.ts';

export interface MarginReads {
  /**
   * What came in and went out in these days, by day, model and provider, and the work that nobody is
   * billed for, newest first, at most 1,000 of it. Costs what happened in the period.
   */
  ofPeriod(period: DayPeriod): Promise<MarginReport>;
}

const mostExposures = 1_000;

/** In the words of an index. */
const inPeriod = (column: string): string =>
  `${column} >= ($1::date::timestamp AT TIME ZONE 'UTC') AND ${column} < (($2::date + 1)::timestamp AT TIME ZONE 'UTC')`;

/** What an exposure states is its cost alone. */
const notExposed = (taskId: string, number: string): string =>
  `NOT EXISTS (SELECT 1 FROM exposure x WHERE x.task_id = ${taskId} AND x.try_number = ${number} AND x.vendor_cost IS NOT NULL)`;

/** A try ends with its task, or before it by no more than a task may last. */
const archivedFor = (column: string): string =>
  `${column} >= ($1::date::timestamp AT TIME ZONE 'UTC') AND ${column} < (($2::date + 10)::timestamp AT TIME ZONE 'UTC')`;

const triedInPeriod = `${inPeriod('y.ended_at')} AND (y.outcome = 'succeeded' OR y.vendor_cost IS NOT NULL)`;

/** `task`: where the model and the bill stand. */
const triedColumns = (task: 't' | 'a'): string => `
      y.ended_at AS at, ${task}.model, y.provider, (y.outcome = 'succeeded')::int AS videos, (y.outcome = 'succeeded' AND y.vendor_cost IS NULL)::int AS without_cost,
      CASE WHEN y.outcome = 'succeeded' THEN ${task}.billed_quota ELSE 0 END AS revenue, y.vendor_currency AS currency,
      CASE WHEN y.vendor_cost IS NOT NULL AND ${notExposed('y.task_id', 'y.number')} THEN y.vendor_cost END AS cost, NULL::numeric AS exposure`;

/** What is known of an exposed task's model: also of one that was deleted or archived. */
const modelOf = `coalesce(t.model, d.model, (SELECT a.model FROM archived_task a WHERE a.task_id = e.task_id LIMIT 1))`;

/**
 * Tries say when and with whom a video was made; of deleted tasks that is kept with their bill, and
 * nothing but the bill of those that were deleted out of the archive.
 */
const rowsSql = `
  WITH deleted AS (
    SELECT d.* FROM deleted_task d WHERE ${inPeriod('d.completed_at')}
    UNION ALL
    SELECT d.* FROM archived_task a, jsonb_populate_recordset(NULL::deleted_task, a.details -> 'deleted_task') d WHERE ${inPeriod('a.completed_at')}),
  moves AS (
    SELECT ${triedColumns('t')} FROM task_try y JOIN task t ON t.id = y.task_id WHERE ${triedInPeriod}
    UNION ALL
    SELECT ${triedColumns('a')} FROM archived_task a, jsonb_populate_recordset(NULL::task_try, a.details -> 'task_try') y
    WHERE ${archivedFor('a.completed_at')} AND ${triedInPeriod}
    UNION ALL
    SELECT a.completed_at, a.model, 'unknown', 1, 1, a.billed_quota, NULL, NULL, NULL
    FROM archived_task a WHERE ${inPeriod('a.completed_at')} AND a.details IS NULL AND a.status = 'succeeded'
    UNION ALL
    SELECT d.completed_at, d.model, coalesce(d.provider, 'unknown'), 1, (d.vendor_costs IS NULL)::int, d.billed_quota, NULL, NULL, NULL
    FROM deleted d WHERE d.status = 'succeeded'
    UNION ALL
    SELECT d.completed_at, d.model, c ->> 'provider', 0, 0, 0, c ->> 'currency', (c ->> 'cost')::numeric, NULL
    FROM deleted d, jsonb_array_elements(d.vendor_costs) c
    WHERE ${notExposed('d.task_id', `(c ->> 'number')::int`)}
    UNION ALL
    SELECT x.day::timestamp AT TIME ZONE 'UTC', 'unknown', x.provider, 0, 0, 0, nullif(x.currency, ''), NULL, nullif(x.vendor_cost, 0)
    FROM exposure_day x WHERE x.day BETWEEN $1::date AND $2::date
    UNION ALL
    SELECT e.created_at, coalesce(${modelOf}, 'unknown'), e.provider, 0, 0, 0, e.vendor_currency, NULL, e.vendor_cost
    FROM exposure e LEFT JOIN task t ON t.id = e.task_id LEFT JOIN deleted_task d ON d.task_id = e.task_id WHERE ${inPeriod('e.created_at')})
  SELECT (at AT TIME ZONE 'UTC')::date::text AS day, model, provider, sum(videos)::int AS videos, sum(without_cost)::int AS "videosWithoutCost", sum(revenue)::bigint AS "revenueQuota",
    currency, coalesce(sum(cost), 0)::text AS cost, coalesce(sum(exposure), 0)::text AS exposure
  FROM moves GROUP BY 1, 2, 3, currency ORDER BY 1, 2, 3, currency`;

const exposuresSql = `
  SELECT e.task_id AS "taskId", e.kind, ${modelOf} AS model, e.provider, e.vendor_task_id AS "vendorTaskId", e.detail,
    e.vendor_cost::text AS cost, e.vendor_currency AS currency, e.cost_source AS "costSource", e.created_at AS "createdAt"
  FROM exposure e LEFT JOIN task t ON t.id = e.task_id LEFT JOIN deleted_task d ON d.task_id = e.task_id
  WHERE ${inPeriod('e.created_at')} ORDER BY e.created_at DESC, e.id DESC LIMIT ${mostExposures + 1}`;

type Sum = Omit<MarginRow, 'money'> & {
  /** Null for sums without money of a vendor. */
  readonly currency: string | null;
  readonly cost: string;
  readonly exposure: string;
};

export function createMarginReads({ pool }: Database): MarginReads {
  return {
    async ofPeriod({ from, to }) {
      const sums = await pool.query<Sum>({
        name: 'margin-rows',
        text: rowsSql,
        values: [from, to],
      });
      const exposures = await pool.query<ExposedWork>({
        name: 'margin-exposures',
        text: exposuresSql,
        values: [from, to],
      });
      return {
        rows: rowsOf(sums.rows),
        exposures: exposures.rows.slice(0, mostExposures),
        hasMoreExposures: exposures.rows.length > mostExposures,
      };
    },
  };
}

const nothing = { videos: 0, videosWithoutCost: 0, revenueQuota: 0, money: [] } as const;

/** One row of all currencies of a day, model and provider; they come one after the other. */
function rowsOf(sums: readonly Sum[]): MarginRow[] {
  const rows = new Map<string, MarginRow>();
  for (const { currency, cost, exposure, ...sum } of sums) {
    const key = [sum.day, sum.model, sum.provider].join('\n');
    const before = rows.get(key) ?? nothing;
    rows.set(key, {
      ...sum,
      videos: sum.videos + before.videos,
      videosWithoutCost: sum.videosWithoutCost + before.videosWithoutCost,
      revenueQuota: sum.revenueQuota + before.revenueQuota,
      money: [...before.money, ...(currency === null ? [] : [{ currency, cost, exposure }])],
    });
  }
  return [...rows.values()];
}
