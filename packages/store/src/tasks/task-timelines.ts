// SQL by hand: moments lie in the rows of several tables, and in the archive as JSON of the same form.
import type { TaskStatus } from '@gateway/domain';
import { archivedRows } from '../data/archived-tasks.ts';
import type { Database } from '../database/database.ts';

/** When what happened to a task; null: not yet, or never. */
export interface TaskTimeline {
  readonly status: TaskStatus;
  /** When its quota was held, and how much. */
  readonly heldAt: Date | null;
  readonly heldQuota: number | null;
  readonly queuedAt: Date;
  readonly admittedAt: Date | null;
  readonly submittedAt: Date | null;
  readonly startedAt: Date | null;
  readonly cancelRequestedAt: Date | null;
  /** When its file was in our own storage. */
  readonly storedAt: Date | null;
  readonly completedAt: Date | null;
  /** When its hold was closed, and what was charged of it. */
  readonly closedAt: Date | null;
  readonly chargedQuota: number | null;
  readonly filesRemovedAt: Date | null;
  /** Statuses that its callback address has taken, in their order. */
  readonly pushes: readonly { readonly status: TaskStatus; readonly at: string }[];
}

export interface TaskTimelines {
  /** Also of an archived task; undefined for another account's, as for a missing one. */
  find(taskId: string, accountId: string): Promise<TaskTimeline | undefined>;
}

const timelineOf = (where: string): string => `
  SELECT t.status, h.created_at AS "heldAt", h.quota AS "heldQuota", t.created_at AS "queuedAt", t.admitted_at AS "admittedAt",
    t.submitting_at AS "submittedAt", t.started_at AS "startedAt", t.cancel_requested_at AS "cancelRequestedAt", t.completed_at AS "completedAt", h.closed_at AS "closedAt",
    h.charged_quota AS "chargedQuota", t.media_purged_at AS "filesRemovedAt",
    (SELECT m.created_at FROM media m WHERE m.task_id = t.id AND m.variant = 'content') AS "storedAt",
    coalesce((SELECT jsonb_agg(jsonb_build_object('status', p.status, 'at', p.settled_at) ORDER BY p.sequence)
      FROM callback_push p WHERE p.task_id = t.id AND p.state = 'delivered'), '[]') AS pushes
  FROM task t LEFT JOIN hold h ON h.task_id = t.id
  WHERE ${where}`;

const timelineSql = timelineOf('t.id = $1 AND t.account_id = $2 AND t.deleted_at IS NULL');

const archivedTimelineSql = `
  WITH task AS (SELECT t.* FROM archived_task a, jsonb_populate_record(NULL::task, a.task) t WHERE a.task_id = $1 AND a.account_id = $2 AND a.deleted_at IS NULL),
    ${archivedRows('hold', 'media', 'callback_push')} ${timelineOf('true')}`;

export function createTaskTimelines({ pool }: Database): TaskTimelines {
  return {
    async find(taskId, accountId) {
      const values = [taskId, accountId];
      const { rows } = await pool.query<TaskTimeline>({
        name: 'task-timeline',
        text: timelineSql,
        values,
      });
      return rows[0] ?? (await pool.query<TaskTimeline>(archivedTimelineSql, values)).rows[0];
    },
  };
}
