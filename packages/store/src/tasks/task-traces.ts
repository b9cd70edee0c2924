// SQL by hand: every job waits for this look-up.
import type { Database } from '../database/database.ts';

/**
 * W3C `traceparent` of the request that made a task; undefined for one that was not traced or is
 * gone.
 */
export const createTaskTraces =
  ({ pool }: Database) =>
  async (taskId: string): Promise<string | undefined> => {
    const { rows } = await pool.query<{ traceparent: string | null }>({
      name: 'trace-of-task',
      text: 'SELECT traceparent FROM task WHERE id = $1',
      values: [taskId],
    });
    return rows[0]?.traceparent ?? undefined;
  };
