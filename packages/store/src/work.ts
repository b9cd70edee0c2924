import type { Database } from './database.ts';

/** What the reconcilers ask: what is due according to the tables, whatever the queues believe. */
export interface Work {
  /** Ids of tasks that are not over, for the video-worker: everything it must have a job for. Who waits in line needs none. */
  unfinishedTasks(after: string, limit: number): Promise<string[]>;
  /** Ids of tasks whose deadline passed while they waited in line. */
  overdueInLine(limit: number): Promise<string[]>;
  /** Tasks that have a place at this provider. */
  countAtVendor(provider: string): Promise<number>;
  /** Milliseconds that videos of this model usually take at the vendor: the median of the newest successes. */
  usualDurationMs(model: string): Promise<number | undefined>;
}

/** As the indexes of the line say it. */
const inLine = `(step = 'submit' AND admitted_at IS NULL)`;

export function createWork({ pool }: Database): Work {
  return {
    async unfinishedTasks(after, limit) {
      const { rows } = await pool.query<{ id: string }>(`SELECT id FROM task WHERE step <> 'done' AND NOT ${inLine} AND id > $1 ORDER BY id LIMIT $2`, [after, limit]);
      return rows.map((row) => row.id);
    },
    async overdueInLine(limit) {
      const { rows } = await pool.query<{ id: string }>(`SELECT id FROM task WHERE ${inLine} AND expires_at <= now() ORDER BY expires_at LIMIT $1`, [limit]);
      return rows.map((row) => row.id);
    },
    async countAtVendor(provider) {
      const { rows } = await pool.query<{ count: number }>('SELECT places_taken AS count FROM vendor_line WHERE provider = $1', [provider]);
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
