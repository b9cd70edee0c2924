// SQL by hand: a vendor's list is compared in one statement a page, and a task is claimed by one
// guarded statement.
import type { Task } from '@gateway/contracts';
import { putOffs } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { toTask, type TaskRow } from './task-row.ts';

/** A task that a vendor has, and the id that we sent it with. */
export interface SentTask {
  readonly vendorTaskId: string;
  readonly taskId: string;
}

/**
 * `known`: a try or an exposure says so, or its customer has deleted it, and its tries with it.
 * `forgotten`: the task waits to be sent to this provider, which has it already. `second`: the vendor
 * has another task of ours for it, it is over without this one, or it is sent to another provider.
 * `unknown`: there is no such task.
 */
type Standing = 'known' | 'forgotten' | 'second' | 'unknown';

export interface ComparedTask extends SentTask {
  readonly standing: Standing;
  /** The provider that the task is sent to as far as the books know; null where there is no such task. */
  readonly sentTo: string | null;
}

export interface VendorTasks {
  /** How these, which this provider has, stand in our books, in the order of their tasks. */
  compare(provider: string, tasks: readonly SentTask[]): Promise<ComparedTask[]>;
  /**
   * Takes a task that waits to be sent as sent: `submit` → `submitting`, with its try. Undefined
   * when it has moved.
   */
  claimForgotten(taskId: string): Promise<Task | undefined>;
}

const compareSql = `
  SELECT i.vendor_task_id AS "vendorTaskId", i.task_id AS "taskId", t.provider AS "sentTo",
    CASE
      WHEN t.vendor_task_id = i.vendor_task_id
        OR EXISTS (SELECT 1 FROM task_try y WHERE y.task_id = i.task_id AND y.vendor_task_id = i.vendor_task_id)
        OR EXISTS (SELECT 1 FROM exposure e WHERE e.task_id = i.task_id AND e.vendor_task_id = i.vendor_task_id) THEN 'known'
      WHEN t.id IS NULL THEN CASE WHEN EXISTS (SELECT 1 FROM deleted_task d WHERE d.task_id = i.task_id) THEN 'known' ELSE 'unknown' END
      -- It went on from this vendor, which was certain to have nothing; or to this one, and that is lost: the other one does not know this id.
      WHEN t.provider <> $3 THEN 'second'
      WHEN t.step = 'submit' AND t.status IN ('queued', 'running') THEN 'forgotten'
      WHEN t.step = 'submitting' THEN 'known'
      ELSE 'second' END AS standing
  FROM unnest($1::text[], $2::text[]) AS i(vendor_task_id, task_id) LEFT JOIN task t ON t.id = i.task_id
  ORDER BY i.task_id, i.vendor_task_id`;

/** Whoever looks for it at the vendor has to look from its creation on. */
const claimSql = `
  WITH claimed AS (
    UPDATE task SET epoch = epoch + 1, step = 'submitting', submitting_at = created_at, admitted_at = coalesce(admitted_at, now())
    WHERE id = $1 AND step = 'submit' AND status IN ('queued', 'running') RETURNING *),
  newest AS (SELECT y.* FROM claimed c JOIN task_try y ON y.task_id = c.id ORDER BY y.number DESC LIMIT 1),
  opened AS (
    INSERT INTO task_try (task_id, number, provider, credential_id, upstream_model)
    SELECT c.id, coalesce(n.number, 0) + CASE WHEN (n.ended_at IS NULL OR n.outcome = ANY($2))
        AND (n.provider, n.credential_id, n.upstream_model) = (c.provider, c.credential_id, c.upstream_model) THEN 0 ELSE 1 END,
      c.provider, c.credential_id, c.upstream_model
    FROM claimed c LEFT JOIN newest n ON true
    ON CONFLICT (task_id, number) DO UPDATE SET outcome = NULL, detail = NULL, ended_at = NULL)
  SELECT * FROM claimed`;

/** What a vendor says it has, against what the books say: after an accident that lost commits. */
export function createVendorTasks({ pool }: Database): VendorTasks {
  return {
    async compare(provider, tasks) {
      const { rows } = await pool.query<ComparedTask>(compareSql, [
        tasks.map(({ vendorTaskId }) => vendorTaskId),
        tasks.map(({ taskId }) => taskId),
        provider,
      ]);
      return rows;
    },
    async claimForgotten(taskId) {
      const { rows } = await pool.query<TaskRow>(claimSql, [taskId, putOffs]);
      return rows[0] && toTask(rows[0]);
    },
  };
}
