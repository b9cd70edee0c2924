// SQL by hand: the rows of an archived task lie in its archive's row as JSON, in the form of the tables they came from.
import type { Database } from '../database/database.ts';
import type { TaskRow } from '../tasks/task-row.ts';

/** Tables whose rows go with their task; each is an array in `details`. */
type DetailTable =
  | 'hold'
  | 'task_event'
  | 'task_try'
  | 'media'
  | 'callback'
  | 'callback_push'
  | 'callback_attempt'
  | 'endpoint_callback'
  | 'endpoint_push'
  | 'endpoint_attempt';

/**
 * The rows of archived task `$1` in this table's form, as a table of that name: what is written for
 * the table reads the archive behind `WITH` and these. A column that came after the archive is null.
 */
export const archivedRows = (...tables: readonly DetailTable[]): string =>
  tables
    .map(
      (table) =>
        `${table} AS (SELECT r.* FROM archived_task a, jsonb_populate_recordset(NULL::${table}, a.details -> '${table}') r WHERE a.task_id = $1)`,
    )
    .join(', ');

const ownSql = `
  SELECT t.* FROM archived_task a, jsonb_populate_record(NULL::task, a.task) t
  WHERE a.task_id = $1 AND a.account_id = $2 AND a.deleted_at IS NULL`;

/** The row of an archived task as it was; undefined for another account's, and for one that its customer deleted. */
export async function findArchivedRow(
  pool: Database['pool'],
  taskId: string,
  accountId: string,
): Promise<TaskRow | undefined> {
  const { rows } = await pool.query<TaskRow>({
    name: 'find-archived-task',
    text: ownSql,
    values: [taskId, accountId],
  });
  return rows[0];
}

const forgetSql = `
  UPDATE archived_task SET deleted_at = now(), task = NULL, details = NULL
  WHERE task_id = $1 AND account_id = $2 AND deleted_at IS NULL`;

/**
 * Removes what an archived task was about, and keeps what it cost. `missing` when the account has
 * no such task in the archive.
 */
export async function forgetArchived(
  pool: Database['pool'],
  taskId: string,
  accountId: string,
): Promise<'marked' | 'missing'> {
  const { rowCount } = await pool.query(forgetSql, [taskId, accountId]);
  return rowCount === 1 ? 'marked' : 'missing';
}
