// SQL by hand: moves of tasks, each a compare-and-set with what follows from it in one statement.
import type { Task } from '@gateway/contracts';
import {
  sourcesOf,
  stepsWhereCancel,
  targetOf,
  taskFailure,
  terminalStatuses,
} from '@gateway/domain';
import { forgetArchived } from '../data/archived-tasks.ts';
import type { Database } from '../database/database.ts';
import { announced } from './task-moves.ts';
import { toTask, type TaskRow } from './task-row.ts';

/** Why a task was not marked: no such task, not over, or its hold is still open. */
export type Marked = 'marked' | 'missing' | 'live' | 'unsettled';

/** An unfinished deletion: the files that are removed before the row. */
export interface DeletedTask {
  readonly taskId: string;
  readonly storageKeys: readonly string[];
}

/**
 * What a customer may do to a task that exists. None names an epoch: each states the step it
 * expects, and the row's lock decides.
 */
export interface TaskEndings {
  /**
   * Ends a task that no vendor was asked for, with event and push, in one statement; undefined when
   * it is not such a task.
   */
  cancelUnsubmitted(taskId: string, accountId: string): Promise<Task | undefined>;
  /**
   * Records the cancel request for the worker and leaves the epoch as it is, so that what the
   * worker has under way stays valid. Undefined when it is too late.
   */
  requestCancel(taskId: string, accountId: string): Promise<Task | undefined>;
  /**
   * From here on the task does not exist for its customer, nor its callback for the dispatcher.
   * Only a settled task is marked. Of an archived one only what it cost is kept, at once.
   */
  markDeleted(taskId: string, accountId: string): Promise<Marked>;
  /**
   * Marked tasks whose files and rows are still there, by id; with `after`, those that follow it.
   * Those that are watched for a late success stay until the watch ends, and those that a live task is
   * made from until that is over.
   */
  findDeleted(options: {
    readonly limit: number;
    readonly taskId?: string;
    readonly after?: string | undefined;
  }): Promise<DeletedTask[]>;
  /**
   * Removes the row of a marked task with all that hangs on it, and keeps what the books need of
   * it.
   */
  forget(taskId: string): Promise<void>;
}

/** Ends a task that no vendor was asked for; `also` is one more CTE over `moved`. */
export const endUnsubmittedSql = (also?: string): string => `
  WITH moved AS (
    UPDATE task SET epoch = epoch + 1, event_sequence = event_sequence + 1, status = $3, step = 'done', step_failures = 0, completed_at = now(),
      cancel_requested_at = coalesce(cancel_requested_at, now()), failure_code = $4, failure_message = $5, billed_seconds = 0, billed_quota = 0
    WHERE id = $1 AND account_id = $2 AND status = ANY($6) AND step = ANY($7)
    RETURNING *),
  ${announced}${also === undefined ? '' : `,${also}`}
  SELECT * FROM moved`;

/** Records a cancel request; `also` is one more CTE over `requested`. */
export const requestCancelSql = (also?: string): string => `
  WITH requested AS (
    UPDATE task SET cancel_requested_at = coalesce(cancel_requested_at, now())
    WHERE id = $1 AND account_id = $2 AND status = ANY($3) AND step = ANY($4)
    RETURNING *)${also === undefined ? '' : `,${also}`}
  SELECT * FROM requested`;

/**
 * The callback's row is what every write of the dispatcher starts from: without it, an attempt
 * under way is not recorded and nothing is pushed. So are those of the account's endpoints.
 */
const markSql = `
  WITH marked AS (
    UPDATE task t SET deleted_at = now()
    WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL AND status = ANY($3)
      AND EXISTS (SELECT 1 FROM hold h WHERE h.task_id = t.id AND h.state = 'closed')
    RETURNING id),
  silenced AS (DELETE FROM callback c USING marked m WHERE c.task_id = m.id),
  endpoints_silenced AS (DELETE FROM endpoint_callback c USING marked m WHERE c.task_id = m.id)
  SELECT id FROM marked`;

const findSql = `
  SELECT t.id AS "taskId",
    array(SELECT storage_key FROM media m WHERE m.task_id = t.id)
    || array(SELECT r #>> '{source,key}' FROM jsonb_array_elements(t.request -> 'references') r WHERE r #>> '{source,type}' = 'stored') AS "storageKeys"
  FROM task t WHERE t.deleted_at IS NOT NULL AND t.step = 'done' AND NOT video_in_use(t.id, t.account_id) AND ($2::text IS NULL OR t.id = $2) AND t.id > $3
  ORDER BY t.id LIMIT $1`;

const forgetSql = `
  WITH gone AS (DELETE FROM task WHERE id = $1 AND deleted_at IS NOT NULL AND step = 'done' AND NOT video_in_use(id, account_id) RETURNING *)
  INSERT INTO deleted_task (task_id, account_id, key_id, model, status, created_at, completed_at, deleted_at, billed_seconds, billed_quota, provider, vendor_costs)
  SELECT id, account_id, key_id, model, status, created_at, completed_at, deleted_at, billed_seconds, billed_quota, provider, (
    SELECT jsonb_agg(jsonb_build_object('number', y.number, 'provider', y.provider, 'ended_at', y.ended_at, 'cost', y.vendor_cost, 'currency', y.vendor_currency) ORDER BY y.number)
    FROM task_try y WHERE y.task_id = gone.id AND y.vendor_cost IS NOT NULL)
  FROM gone`;

interface CancelStatement {
  readonly name: string;
  readonly text: string;
  /** Task and account. */
  readonly values: readonly [string, string];
  /** What its further CTE takes. */
  readonly more?: readonly unknown[];
}

/** Runs `endUnsubmittedSql`; what it takes beside is from `$8` on. */
export async function endUnsubmitted(
  pool: Database['pool'],
  { name, text, values, more = [] }: CancelStatement,
): Promise<Task | undefined> {
  const { code, message } = taskFailure('cancelled');
  const { rows } = await pool.query<TaskRow>({
    name,
    text,
    values: [
      ...values,
      targetOf('cancelled'),
      code,
      message,
      sourcesOf('cancelled'),
      stepsWhereCancel('end'),
      ...more,
    ],
  });
  return rows[0] && toTask(rows[0]);
}

/** Runs `requestCancelSql`; what it takes beside is from `$5` on. */
export async function requestCancel(
  pool: Database['pool'],
  { name, text, values, more = [] }: CancelStatement,
): Promise<Task | undefined> {
  const { rows } = await pool.query<TaskRow>({
    name,
    text,
    values: [
      ...values,
      sourcesOf('cancelled'),
      stepsWhereCancel('end', 'carry_on', 'ask'),
      ...more,
    ],
  });
  return rows[0] && toTask(rows[0]);
}

export function createTaskEndings({ pool }: Database): TaskEndings {
  return {
    cancelUnsubmitted: (taskId, accountId) =>
      endUnsubmitted(pool, {
        name: 'cancel-unsubmitted',
        text: endUnsubmittedSql(),
        values: [taskId, accountId],
      }),
    requestCancel: (taskId, accountId) =>
      requestCancel(pool, {
        name: 'request-cancel',
        text: requestCancelSql(),
        values: [taskId, accountId],
      }),
    async markDeleted(taskId, accountId) {
      const { rowCount } = await pool.query({
        name: 'mark-deleted',
        text: markSql,
        values: [taskId, accountId, terminalStatuses],
      });
      if (rowCount === 1) return 'marked';
      const { rows } = await pool.query<{ over: boolean }>(
        'SELECT completed_at IS NOT NULL AS over FROM task WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL',
        [taskId, accountId],
      );
      if (rows[0] === undefined) return forgetArchived(pool, taskId, accountId);
      return rows[0].over ? 'unsettled' : 'live';
    },
    async findDeleted({ limit, taskId, after }) {
      const { rows } = await pool.query<DeletedTask>({
        name: 'find-deleted',
        text: findSql,
        values: [limit, taskId ?? null, after ?? ''],
      });
      return rows;
    },
    async forget(taskId) {
      await pool.query({ name: 'forget-task', text: forgetSql, values: [taskId] });
    },
  };
}
