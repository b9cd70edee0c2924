// SQL by hand: the statements steer the planner to one index, on the database's clock.
import type { Database } from '../database/database.ts';

/** One page of a walk over ids in their order. */
export interface DuePage {
  readonly after: string;
  readonly limit: number;
  /** For this long, delayed attempts are left to the job that wakes them. */
  readonly graceMs: number;
}

/**
 * What the dispatcher's sweep asks. A callback is due when it has a pending push and nothing delays
 * it.
 */
export interface DueCallbacks {
  /** Those of these that are due and that nobody has claimed. */
  dueAmong(taskIds: readonly string[]): Promise<string[]>;
  /** Ids of callbacks that are due and that nobody has claimed. */
  findDue(page: DuePage): Promise<string[]>;
  /**
   * Ids of callbacks whose requested redelivery has not begun: a job that waits for a retry has to
   * be brought forward.
   */
  findAsked(limit: number): Promise<string[]>;
}

const isDueSql = `(c.due_at IS NULL OR c.due_at <= now() - make_interval(secs => $2)) AND (c.claimed_until IS NULL OR c.claimed_until <= now())`;

/**
 * Walks the index of pending pushes and looks up each callback; the inner LIMIT keeps the planner
 * from merging that with a scan of the whole history. Finished callbacks cost nothing, however many
 * there are.
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
