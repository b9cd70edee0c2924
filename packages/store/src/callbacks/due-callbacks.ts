import type { Database } from '../database/database.ts';

/** One page of a walk over ids in their order. */
export interface DuePage {
  readonly after: string;
  readonly limit: number;
  /** Put-off attempts are left to their own wake-up for this long. */
  readonly graceMs: number;
}

/**
 * What the dispatcher's sweep asks. A callback is due when it has a pending push and nothing delays
 * it.
 */
export interface DueCallbacks {
  /** Those of these that are due and that nobody holds. */
  dueAmong(taskIds: readonly string[]): Promise<string[]>;
  /** Ids of callbacks that are due and that nobody holds. */
  findDue(page: DuePage): Promise<string[]>;
  /**
   * Ids of callbacks whose redelivery was asked for and has not begun; a job that waits for a retry
   * has to be hurried.
   */
  findAsked(limit: number): Promise<string[]>;
}

const isDueSql = `(c.due_at IS NULL OR c.due_at <= now() - make_interval(secs => $2)) AND (c.claimed_until IS NULL OR c.claimed_until <= now())`;

/**
 * Walks the index of pending pushes, and looks each callback up: the LIMIT inside keeps the planner
 * from merging the walk with a walk over the whole history. What is finished, however much, costs
 * nothing.
 */
const findDueSql = `
  SELECT p.task_id
  FROM (SELECT DISTINCT task_id FROM callback_push WHERE state = 'pending' AND task_id > $1) p,
    LATERAL (SELECT 1 FROM callback c WHERE c.task_id = p.task_id AND ${isDueSql} LIMIT 1) due
  ORDER BY p.task_id LIMIT $3`;

const dueAmongSql = `
  SELECT c.task_id FROM callback c
  WHERE c.task_id = ANY ($1::text[]) AND ${isDueSql} AND EXISTS (SELECT 1 FROM callback_push p WHERE p.task_id = c.task_id AND p.state = 'pending')`;

export function createDueCallbacks(pool: Database['pool']): DueCallbacks {
  return {
    async dueAmong(taskIds) {
      const { rows } = await pool.query<{ task_id: string }>({
        name: 'due-among-callbacks',
        text: dueAmongSql,
        values: [taskIds, 0],
      });
      return rows.map((row) => row.task_id);
    },
    async findDue({ after, limit, graceMs }) {
      const { rows } = await pool.query<{ task_id: string }>({
        name: 'find-due-callbacks',
        text: findDueSql,
        values: [after, graceMs / 1000, limit],
      });
      return rows.map((row) => row.task_id);
    },
    async findAsked(limit) {
      const { rows } = await pool.query<{ task_id: string }>({
        name: 'find-asked-callbacks',
        text: `SELECT c.task_id FROM callback c WHERE c.manual_at IS NOT NULL AND ${isDueSql.replace('$2', '0')} ORDER BY c.manual_at LIMIT $1`,
        values: [limit],
      });
      return rows.map((row) => row.task_id);
    },
  };
}
