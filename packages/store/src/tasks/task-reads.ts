// SQL by hand: polling customers and every job of a worker wait for these look-ups.
import type { MediaVariant, StoredMedia, Task } from '@gateway/contracts';
import type { Database } from '../database/database.ts';
import { toTask, type TaskRow } from './task-row.ts';

/** A file as the media routes need it. */
export interface MediaRecord extends StoredMedia {
  readonly createdAt: Date;
  readonly purgedAt: Date | null;
}

export interface TaskReads {
  /**
   * Undefined for a deleted task, as for a missing one; so do the other two that serve customers.
   */
  find(taskId: string): Promise<Task | undefined>;
  /** Also a deleted task whose row is still there: the worker may have to watch its vendor. */
  findEvenDeleted(taskId: string): Promise<Task | undefined>;
  /** Undefined for another account's task, as for a missing one. */
  findForAccount(taskId: string, accountId: string): Promise<Task | undefined>;
  /** The media of a task: undefined when there is no such task, null when it has no such file. */
  findMedia(taskId: string, variant: MediaVariant): Promise<MediaRecord | null | undefined>;
}

interface MediaRow {
  storage_key: string | null;
  content_type: string;
  size_bytes: number;
  sha256: string;
  created_at: Date;
  purged_at: Date | null;
}

export function createTaskReads({ pool }: Database): TaskReads {
  return {
    async find(taskId) {
      const { rows } = await pool.query<TaskRow>({
        name: 'find-task',
        text: 'SELECT * FROM task WHERE id = $1 AND deleted_at IS NULL',
        values: [taskId],
      });
      return rows[0] && toTask(rows[0]);
    },
    async findEvenDeleted(taskId) {
      const { rows } = await pool.query<TaskRow>({
        name: 'find-even-deleted',
        text: 'SELECT * FROM task WHERE id = $1',
        values: [taskId],
      });
      return rows[0] && toTask(rows[0]);
    },
    async findForAccount(taskId, accountId) {
      const { rows } = await pool.query<TaskRow>({
        name: 'find-own-task',
        text: 'SELECT * FROM task WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL',
        values: [taskId, accountId],
      });
      return rows[0] && toTask(rows[0]);
    },
    async findMedia(taskId, variant) {
      const { rows } = await pool.query<MediaRow>({
        name: 'find-media',
        text: 'SELECT m.* FROM task t LEFT JOIN media m ON m.task_id = t.id AND m.variant = $2 WHERE t.id = $1 AND t.deleted_at IS NULL',
        values: [taskId, variant],
      });
      const row = rows[0];
      if (row === undefined) return undefined;
      if (row.storage_key === null) return null;
      return {
        variant,
        storageKey: row.storage_key,
        contentType: row.content_type,
        sizeBytes: row.size_bytes,
        sha256: row.sha256,
        createdAt: row.created_at,
        purgedAt: row.purged_at,
      };
    },
  };
}
