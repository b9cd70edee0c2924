// SQL by hand: the exposure names its try in the statement that records it.
import type { Task } from '@gateway/contracts';
import { isTerminal } from '@gateway/domain';
import type { Database } from '../database/database.ts';

/**
 * What vendor work that nobody is billed for comes from. `late_success`: finished after the
 * deadline; `submission_unknown`: sent, perhaps; `orphan`: accepted after the task had ended;
 * `output_lost`: finished in time, and the file could not be had; `watch_ended`: the vendor never
 * said how it ended.
 */
export const exposureKinds = [
  'late_success',
  'submission_unknown',
  'orphan',
  'output_lost',
  'watch_ended',
] as const;
type ExposureKind = (typeof exposureKinds)[number];

/** What a vendor asks for its work, as a decimal with at most 12 places. */
export interface VendorCost {
  readonly amount: string;
  readonly currency: string;
  /** By the vendor, in money or in what it is counted by; or calculated from lengths. */
  readonly source: 'reported' | 'calculated';
}

/** For the columns vendor_cost, vendor_currency and cost_source. */
export const costValues = (cost: VendorCost | undefined): (string | null)[] =>
  cost === undefined ? [null, null, null] : [cost.amount, cost.currency, cost.source];

/** Vendor work that nobody is billed for. */
export interface Exposure {
  readonly taskId: string;
  readonly kind: ExposureKind;
  readonly provider: string;
  readonly vendorTaskId: string | null;
  readonly detail: string;
  readonly cost?: VendorCost | undefined;
}

const longestDetail = 1_000;

/** As much of it as a row keeps. */
export const shortDetail = (detail: string): string => detail.slice(0, longestDetail);

/** With the newest try that has this vendor's id, or that has none where the id is not known. */
const recordSql = `
  INSERT INTO exposure (task_id, kind, provider, vendor_task_id, detail, vendor_cost, vendor_currency, cost_source, try_number)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, (
    SELECT max(number) FROM task_try WHERE task_id = $1 AND provider = $3 AND (vendor_task_id IS NULL OR vendor_task_id = $4)))
  ON CONFLICT (task_id, kind) DO NOTHING`;

/** Once for each task and kind: the same again changes nothing. */
export async function recordExposure(
  { pool }: Database,
  { taskId, kind, provider, vendorTaskId, detail, cost }: Exposure,
): Promise<void> {
  await pool.query({
    name: 'record-exposure',
    text: recordSql,
    values: [taskId, kind, provider, vendorTaskId, shortDetail(detail), ...costValues(cost)],
  });
}

/** An exposure of one task. */
export interface ExposureRecord extends Pick<Exposure, 'kind' | 'provider' | 'vendorTaskId'> {
  readonly detail: string;
  /** A decimal number; null where it is not known. */
  readonly vendorCost: string | null;
  readonly vendorCurrency: string | null;
  readonly createdAt: Date;
}

/** Those of task `$1`. */
export const exposuresSql = `
  SELECT kind, provider, vendor_task_id AS "vendorTaskId", detail, trim_scale(vendor_cost)::text AS "vendorCost", vendor_currency AS "vendorCurrency", created_at AS "createdAt"
  FROM exposure WHERE task_id = $1 ORDER BY id`;

/** How often each kind happened, sums by day included; kinds that never did are 0. */
export async function countExposures({ pool }: Database): Promise<Record<ExposureKind, number>> {
  const { rows } = await pool.query<{ kind: string; count: number }>(
    `SELECT kind, sum(count)::float8 AS count
     FROM (SELECT kind, count(*) AS count FROM exposure GROUP BY kind UNION ALL SELECT kind, count FROM exposure_day) counted GROUP BY kind`,
  );
  return countsByKind(rows);
}

/** Every kind with its count, 0 for those that are not there. */
export function countsByKind(
  rows: readonly { readonly kind: string; readonly count: number }[],
): Record<ExposureKind, number> {
  const countOf = new Map(rows.map(({ kind, count }) => [kind, count]));
  return Object.fromEntries(exposureKinds.map((kind) => [kind, countOf.get(kind) ?? 0])) as Record<
    ExposureKind,
    number
  >;
}

/**
 * Notes for each row of `moved` that ended without a video although the vendor had made one: it was
 * charged for, and nobody got it. A CTE of the statement that ends the task; `cost` are its values of
 * the cost's columns.
 */
export const lostOutputNoted = (cost: string): string => `
  lost_output AS (
    INSERT INTO exposure (task_id, kind, provider, vendor_task_id, vendor_cost, vendor_currency, cost_source, try_number, detail)
    SELECT id, 'output_lost', provider, vendor_task_id, ${cost}, (SELECT max(number) FROM task_try y WHERE y.task_id = moved.id AND y.provider = moved.provider),
      concat_ws(', ', 'the vendor had finished, and its video was not copied', vendor_output ->> 'seconds' || ' s', coalesce(vendor_output ->> 'totalTokens', vendor_output ->> 'completionTokens') || ' tokens')
    FROM moved WHERE status IN ('failed', 'expired', 'cancelled') AND (vendor_output IS NOT NULL OR failure_code = 'no_output')
    ON CONFLICT DO NOTHING)`;

/** Whether `lostOutputNoted` notes this task. */
export const hasLostOutput = ({
  status,
  vendorOutput,
  failure,
}: Pick<Task, 'status' | 'vendorOutput' | 'failure'>): boolean =>
  isTerminal(status) &&
  status !== 'succeeded' &&
  (vendorOutput !== null || failure?.code === 'no_output');
