// SQL by hand: polling customers and every job of a worker wait for these look-ups.
import type { MediaVariant, StoredMedia, Task } from '@gateway/contracts';
import { archivedRows, findArchivedRow } from '../data/archived-tasks.ts';
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
  /** The same, and where that finds nothing, one more statement: also in the archive. */
  findOrArchived(taskId: string, accountId: string): Promise<Task | undefined>;
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

const mediaSql = `SELECT m.* FROM task t LEFT JOIN media m ON m.task_id = t.id AND m.variant = $2 WHERE t.id = $1 AND t.deleted_at IS NULL`;
const archivedMediaSql = `
  WITH ${archivedRows('media')}
  SELECT m.* FROM archived_task a LEFT JOIN media m ON m.variant = $2 WHERE a.task_id = $1 AND a.deleted_at IS NULL`;

export function createTaskReads({ pool }: Database): TaskReads {
  const findForAccount: TaskReads['findForAccount'] = async (taskId, accountId) => {
    const { rows } = await pool.query<TaskRow>({
      name: 'find-own-task',
      text: 'SELECT * FROM task WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL',
      values: [taskId, accountId],
    });
    return rows[0] && toTask(rows[0]);
  };
  return {
    findForAccount,
    async findOrArchived(taskId, accountId) {
      const task = await findForAccount(taskId, accountId);
      if (task !== undefined) return task;
      const row = await findArchivedRow(pool, taskId, accountId);
      return row && toTask(row);
    },
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
    async findMedia(taskId, variant) {
      const row =
        (await readMedia(pool, { name: 'find-media', text: mediaSql }, [taskId, variant])) ??
        (await readMedia(pool, { text: archivedMediaSql }, [taskId, variant]));
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

async function readMedia(
  pool: Database['pool'],
  statement: { readonly name?: string; readonly text: string },
  values: readonly string[],
): Promise<MediaRow | undefined> {
  const { rows } = await pool.query<MediaRow>({ ...statement, values: [...values] });
  return rows[0];
}
