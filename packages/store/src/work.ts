import type { Database } from './database.ts';

/** What the reconcilers ask: what is due according to the tables, whatever the queues believe. */
export interface Work {
  /** Ids of tasks that are not over, for the video-worker: everything it must have a job for. */
  unfinishedTasks(after: string, limit: number): Promise<string[]>;
  /** Tasks of this provider that are with the vendor, and those that wait for a place there. */
  countAtVendor(provider: string): Promise<number>;
  countWaiting(provider: string): Promise<number>;
  /** Milliseconds that videos of this model usually take at the vendor: the median of the newest successes. */
  usualDurationMs(model: string): Promise<number | undefined>;
}

export function createWork({ pool }: Database): Work {
  return {
    async unfinishedTasks(after, limit) {
      const { rows } = await pool.query<{ id: string }>(`SELECT id FROM task WHERE step <> 'done' AND id > $1 ORDER BY id LIMIT $2`, [after, limit]);
      return rows.map((row) => row.id);
    },
    async countAtVendor(provider) {
      const { rows } = await pool.query<{ count: number }>(`SELECT count(*) AS count FROM task WHERE provider = $1 AND step IN ('submitting', 'poll', 'ingest')`, [provider]);
      return rows[0]?.count ?? 0;
    },
    async countWaiting(provider) {
      const { rows } = await pool.query<{ count: number }>(`SELECT count(*) AS count FROM task WHERE provider = $1 AND step = 'submit'`, [provider]);
      return rows[0]?.count ?? 0;
    },
    async usualDurationMs(model) {
      const { rows } = await pool.query<{ usual: number | null }>(
        `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM completed_at - started_at) * 1000) AS usual
         FROM (SELECT completed_at, started_at FROM task WHERE model = $1 AND status = 'succeeded' ORDER BY id DESC LIMIT 50) recent`, [model]);
      return rows[0]?.usual ?? undefined;
    },
  };
}
