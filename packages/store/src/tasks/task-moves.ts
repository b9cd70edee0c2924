// SQL by hand: moves of tasks, each a compare-and-set with what follows from it in one statement.
import type { StoredMedia, Task, TaskResult, VendorOutput } from '@gateway/contracts';
import {
  sourcesOf,
  targetOf,
  type TaskEvent,
  type TaskFailure,
  type TaskStep,
} from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { recordExposure, type Exposure } from './exposures.ts';
import { toTask, type TaskRow } from './task-row.ts';

/** What a write may change besides the status. */
export interface TaskChanges {
  readonly step: TaskStep;
  readonly vendorTaskId?: string;
  readonly vendorOutput?: VendorOutput;
  readonly stepFailures?: number;
  readonly failure?: TaskFailure;
  readonly result?: TaskResult;
  readonly billed?: { readonly seconds: number; readonly quota: number };
  /** The vendor refused the customer's cancel request. */
  readonly cancelRefused?: true;
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
   * never more than `maxConcurrent` at once; answers their ids.
   */
  admit(
    provider: string,
    limits: { readonly maxConcurrent: number; readonly most: number },
  ): Promise<string[]>;
  /**
   * The committed intent to call the vendor: `submit` → `submitting`, for a task that has a slot.
   */
  claimSubmission(task: Task): Promise<Task | 'lost'>;
  /**
   * Takes the status that `event` leads to: status, facts, event, media and push in one statement.
   */
  move(
    task: Task,
    event: TaskEvent,
    change: { readonly changes: TaskChanges; readonly media?: readonly StoredMedia[] },
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
    ['billed_seconds', billed?.seconds],
    ['billed_quota', billed?.quota],
    ['cancel_requested_at', cancelRefused && null],
  ];
  return pairs.filter(([, value]) => value !== undefined);
}

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
    WHERE id = $1 AND epoch = $2 AND status = ANY($3)
    RETURNING *),
  ${announced},
  new_media AS (
    INSERT INTO media (task_id, variant, storage_key, content_type, size_bytes, sha256)
    SELECT moved.id, m.variant, m."storageKey", m."contentType", m."sizeBytes", m.sha256
    FROM moved, jsonb_to_recordset($5::jsonb) AS m(variant text, "storageKey" text, "contentType" text, "sizeBytes" bigint, sha256 text))
  SELECT * FROM moved`;

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
    async admit(provider, { maxConcurrent, most }) {
      const { rows } = await pool.query<{ id: string }>({
        name: 'admit-tasks',
        text: 'SELECT admit_tasks AS id FROM admit_tasks($1, $2, $3)',
        values: [provider, maxConcurrent, most],
      });
      return rows.map(({ id }) => id);
    },
    async claimSubmission(task) {
      const { rows } = await pool.query<TaskRow>({
        name: 'claim-submission',
        text: `UPDATE task SET epoch = epoch + 1, step = 'submitting', submitting_at = now()
               WHERE id = $1 AND epoch = $2 AND step = 'submit' AND admitted_at IS NOT NULL AND status = 'queued' RETURNING *`,
        values: [task.id, task.epoch],
      });
      return rows[0] === undefined ? 'lost' : toTask(rows[0]);
    },
    async move(task, event, { changes, media = [] }) {
      const pairs = assignments(changes);
      const { rows } = await pool.query<TaskRow>(moveSql(setClause(pairs, 6)), [
        task.id,
        task.epoch,
        sourcesOf(event),
        targetOf(event),
        JSON.stringify(media),
        ...pairs.map(([, value]) => value),
      ]);
      return rows[0] && toTask(rows[0]);
    },
    async closeLate(task) {
      await pool.query(
        `UPDATE task SET epoch = epoch + 1, step = 'done' WHERE id = $1 AND epoch = $2 AND step = 'late'`,
        [task.id, task.epoch],
      );
    },
    recordExposure: (exposure) => recordExposure(database, exposure),
  };
}
