// SQL by hand: moves of tasks, each a compare-and-set with what follows from it in one statement.
import type { StoredMedia, Task, TaskBill, TaskResult, VendorOutput } from '@gateway/contracts';
import {
  putOffs,
  sourcesOf,
  targetOf,
  type PutOff,
  type TaskEvent,
  type TaskFailure,
  type TaskStep,
} from '@gateway/domain';
import type { Database } from '../database/database.ts';
import {
  costValues,
  lostOutputNoted,
  recordExposure,
  shortDetail,
  type Exposure,
  type VendorCost,
} from './exposures.ts';
import { toTask, type TaskRow } from './task-row.ts';

/** What a write may change besides the status. */
export interface TaskChanges {
  readonly step: TaskStep;
  readonly vendorTaskId?: string;
  readonly vendorOutput?: VendorOutput;
  readonly stepFailures?: number;
  readonly failure?: TaskFailure;
  readonly result?: TaskResult;
  readonly billed?: TaskBill;
  /** The vendor refused the customer's cancel request. */
  readonly cancelRefused?: true;
}

/** Why a task that was sent, and is sure not to be at the vendor, is to be sent again later. */
export interface PuttingOff {
  readonly stepFailures: number;
  readonly outcome: PutOff;
  /** What the vendor said, for the operator. */
  readonly detail: string;
  /** Whether it waits with its slot, or back in the queue, at its position. */
  readonly keepsSlot: boolean;
}

/** Who of those that wait gets a slot. */
export interface AdmissionLimits {
  readonly maxConcurrent: number;
  readonly most: number;
  /** Accounts that get none. */
  readonly paused?: readonly string[];
  /** Accounts that get one at most: of the first hundred tasks the one that failed least often. */
  readonly onTrial?: readonly string[];
  /** Every account is on trial. */
  readonly isTrial?: boolean;
}

/**
 * The worker's writes. Each names the epoch it read and raises it; undefined means that somebody
 * else moved first, and nothing was written.
 */
export interface TaskMoves {
  /** Changes the step, or facts about it, within the present status. */
  stay(task: Task, changes: TaskChanges): Promise<Task | undefined>;
  /**
   * Gives at most `most` free slots of a provider to the tasks that are next, over all replicas
   * never more than `maxConcurrent` at once; returns their ids.
   */
  admit(provider: string, limits: AdmissionLimits): Promise<string[]>;
  /**
   * The committed intent to call the vendor: `submit` → `submitting`, for a task that has a slot.
   * Opens its try, or the last one again where the vendor made nothing of that.
   */
  claimSubmission(task: Task): Promise<Task | 'lost'>;
  /** `submitting` → `submit`: the vendor is sure to have made nothing. Ends the try. */
  putOff(task: Task, how: PuttingOff): Promise<Task | undefined>;
  /** Back into the queue, at its position: nobody is served now. For a task at `submit`. */
  giveBackSlot(task: Task): Promise<Task | undefined>;
  /**
   * Takes the status that `event` leads to: status, facts, event, media, push and the exposure of a
   * video that nobody got, in one statement; a trigger ends its try. `detail` is what the vendor
   * said, for the operator, and `cost` what it asks for its work. With `ifOverdue` only a task whose deadline has passed by the database's
   * clock.
   */
  move(
    task: Task,
    event: TaskEvent,
    change: {
      readonly changes: TaskChanges;
      readonly media?: readonly StoredMedia[];
      readonly detail?: string | undefined;
      readonly cost?: VendorCost | undefined;
      readonly ifOverdue?: true;
    },
  ): Promise<Task | undefined>;
  /** Ends the watch over an expired task. */
  closeLate(task: Task): Promise<void>;
  /** Vendor work that nobody is billed for; once for each task and kind. */
  recordExposure(exposure: Exposure): Promise<void>;
}

/** Columns and values of a change; which columns there are is decided here and nowhere else. */
function assignments({
  step,
  vendorTaskId,
  vendorOutput,
  stepFailures,
  failure,
  result,
  billed,
  cancelRefused,
}: TaskChanges): [string, unknown][] {
  const pairs: [string, unknown][] = [
    ['step', step],
    ['step_failures', stepFailures ?? 0],
    ['vendor_task_id', vendorTaskId],
    ['vendor_output', vendorOutput && JSON.stringify(vendorOutput)],
    ['failure_code', failure?.code],
    ['failure_message', failure?.message],
    ['result', result && JSON.stringify(result)],
    ...billPairs(billed),
    ['cancel_requested_at', cancelRefused && null],
  ];
  return pairs.filter(([, value]) => value !== undefined);
}

const billPairs = (bill: TaskBill | undefined): [string, unknown][] => [
  ['billed_seconds', bill?.seconds],
  ['billed_quota', bill?.quota],
  ['billed_items', bill?.items && JSON.stringify(bill.items)],
];

const setClause = (pairs: readonly (readonly [string, unknown])[], from: number): string =>
  pairs.map(([column], index) => `${column} = $${from + index}`).join(', ');

/**
 * What every new status of a row in `moved` brings with it: its event, and its push where there is
 * a callback.
 */
export const announced = `
  new_event AS (INSERT INTO task_event (task_id, sequence, status, at) SELECT id, event_sequence, status, now() FROM moved),
  new_push AS (INSERT INTO callback_push (task_id, sequence, status) SELECT id, event_sequence, status FROM moved WHERE callback_url IS NOT NULL)`;

const moveSql = (sets: string): string => `
  WITH moved AS (
    UPDATE task SET epoch = epoch + 1, event_sequence = event_sequence + 1, status = $4,
      started_at = CASE WHEN $4 = 'running' THEN now() ELSE started_at END,
      completed_at = CASE WHEN $4 = 'running' THEN NULL ELSE now() END, ${sets}
    WHERE id = $1 AND epoch = $2 AND status = ANY($3) AND (NOT $7 OR expires_at <= now())
    RETURNING *),
  ${announced},
  noted AS (
    UPDATE task_try y SET detail = coalesce($6, y.detail), vendor_cost = $8::numeric, vendor_currency = $9::text, cost_source = $10::text
    FROM moved m WHERE y.task_id = m.id AND y.ended_at IS NULL AND ($6::text IS NOT NULL OR $8::numeric IS NOT NULL)),
  ${lostOutputNoted('$8::numeric, $9::text, $10::text')},
  new_media AS (
    INSERT INTO media (task_id, variant, storage_key, content_type, size_bytes, sha256)
    SELECT moved.id, m.variant, m."storageKey", m."contentType", m."sizeBytes", m.sha256
    FROM moved, jsonb_to_recordset($5::jsonb) AS m(variant text, "storageKey" text, "contentType" text, "sizeBytes" bigint, sha256 text))
  SELECT * FROM moved`;

/** A try is sent again under its number; with another route, or when it had come to something, it is the next. */
const claimSql = `
  WITH claimed AS (
    UPDATE task SET epoch = epoch + 1, step = 'submitting', submitting_at = now()
    WHERE id = $1 AND epoch = $2 AND step = 'submit' AND admitted_at IS NOT NULL AND status IN ('queued', 'running') RETURNING *),
  newest AS (SELECT y.* FROM claimed c JOIN task_try y ON y.task_id = c.id ORDER BY y.number DESC LIMIT 1),
  opened AS (
    INSERT INTO task_try (task_id, number, provider, credential_id, upstream_model)
    SELECT c.id, coalesce(n.number, 0) + CASE WHEN (n.ended_at IS NULL OR n.outcome = ANY($3))
        AND (n.provider, n.credential_id, n.upstream_model) = (c.provider, c.credential_id, c.upstream_model) THEN 0 ELSE 1 END,
      c.provider, c.credential_id, c.upstream_model
    FROM claimed c LEFT JOIN newest n ON true
    ON CONFLICT (task_id, number) DO UPDATE
      SET submissions = task_try.submissions + 1, submitted_at = now(), outcome = NULL, detail = NULL, ended_at = NULL)
  SELECT * FROM claimed`;

const putOffSql = `
  WITH stayed AS (
    UPDATE task SET epoch = epoch + 1, step = 'submit', step_failures = $3, admitted_at = CASE WHEN $6 THEN admitted_at END
    WHERE id = $1 AND epoch = $2 AND step = 'submitting' AND status IN ('queued', 'running') RETURNING *),
  tried AS (
    UPDATE task_try y SET outcome = $4, detail = $5, ended_at = now() FROM stayed s WHERE y.task_id = s.id AND y.ended_at IS NULL)
  SELECT * FROM stayed`;

const giveBackSql = `
  UPDATE task SET epoch = epoch + 1, admitted_at = NULL
  WHERE id = $1 AND epoch = $2 AND step = 'submit' AND status IN ('queued', 'running') AND admitted_at IS NOT NULL RETURNING *`;

export function createTaskMoves(database: Database): TaskMoves {
  const { pool } = database;
  return {
    async stay(task, changes) {
      const pairs = assignments(changes);
      const { rows } = await pool.query<TaskRow>(
        `UPDATE task SET epoch = epoch + 1, ${setClause(pairs, 4)} WHERE id = $1 AND epoch = $2 AND status = $3 RETURNING *`,
        [task.id, task.epoch, task.status, ...pairs.map(([, value]) => value)],
      );
      return rows[0] && toTask(rows[0]);
    },
    async admit(provider, { maxConcurrent, most, paused = [], onTrial = [], isTrial = false }) {
      const { rows } = await pool.query<{ id: string }>({
        name: 'admit-tasks',
        text: 'SELECT admit_tasks AS id FROM admit_tasks($1, $2, $3, $4, $5, $6)',
        values: [provider, maxConcurrent, most, paused, onTrial, isTrial],
      });
      return rows.map(({ id }) => id);
    },
    async claimSubmission(task) {
      const { rows } = await pool.query<TaskRow>({
        name: 'claim-submission',
        text: claimSql,
        values: [task.id, task.epoch, putOffs],
      });
      return rows[0] === undefined ? 'lost' : toTask(rows[0]);
    },
    async putOff(task, { stepFailures, outcome, detail, keepsSlot }) {
      const { rows } = await pool.query<TaskRow>({
        name: 'put-off',
        text: putOffSql,
        values: [task.id, task.epoch, stepFailures, outcome, shortDetail(detail), keepsSlot],
      });
      return rows[0] && toTask(rows[0]);
    },
    async giveBackSlot(task) {
      const { rows } = await pool.query<TaskRow>({
        name: 'give-back-slot',
        text: giveBackSql,
        values: [task.id, task.epoch],
      });
      return rows[0] && toTask(rows[0]);
    },
    move: (task, event, change) => move(pool, task, { event, ...change }),
    async closeLate(task) {
      await pool.query(
        `UPDATE task SET epoch = epoch + 1, step = 'done' WHERE id = $1 AND epoch = $2 AND step = 'late'`,
        [task.id, task.epoch],
      );
    },
    recordExposure: (exposure) => recordExposure(database, exposure),
  };
}

async function move(
  pool: Database['pool'],
  task: Task,
  {
    event,
    changes,
    media = [],
    detail,
    cost,
    ifOverdue,
  }: Parameters<TaskMoves['move']>[2] & { readonly event: TaskEvent },
): Promise<Task | undefined> {
  const pairs = assignments(changes);
  const { rows } = await pool.query<TaskRow>(moveSql(setClause(pairs, 11)), [
    task.id,
    task.epoch,
    sourcesOf(event),
    targetOf(event),
    JSON.stringify(media),
    detail === undefined ? null : shortDetail(detail),
    ifOverdue === true,
    ...costValues(cost),
    ...pairs.map(([, value]) => value),
  ]);
  return rows[0] && toTask(rows[0]);
}
