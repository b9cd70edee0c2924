import type { Database } from '../database/database.ts';

export interface UnfinishedTask {
  readonly id: string;
  /** Its files are to be copied, or are being copied. */
  readonly isAtIngest: boolean;
}

/**
 * A part of the unfinished tasks in the order of their ids: above `after` and beyond `skip` more.
 */
export interface Stretch {
  readonly after: string;
  readonly skip: number;
  readonly limit: number;
}

/** At most `limit` of a stretch of bounded length, so perhaps few or none although more follow. */
export interface PolledTasks {
  readonly tasks: readonly { readonly id: string; readonly vendorTaskId: string }[];
  /** Where the next stretch begins; undefined at the end. */
  readonly next: string | undefined;
}

/** What the reconcilers ask: what is due according to the tables, whatever the queues believe. */
export interface Work {
  /**
   * Tasks that are not over, for the video-worker: everything it must have a job for, in the order
   * of the ids. Who waits in line needs none.
   */
  unfinishedTasks(after: string, limit: number): Promise<UnfinishedTask[]>;
  /** Ids of tasks whose deadline passed while they waited in line. */
  overdueInLine(limit: number): Promise<string[]>;
  /**
   * Tasks that are polled at one address of a provider and whose looks and copies all went well.
   */
  polledTasks(
    vendor: { readonly provider: string; readonly baseUrl: string },
    stretch: Stretch,
  ): Promise<PolledTasks>;
  /** Tasks that have a place at this provider. */
  countAtVendor(provider: string): Promise<number>;
  /**
   * Milliseconds that videos of this model usually take at the vendor: the median of the newest
   * successes.
   */
  usualDurationMs(model: string): Promise<number | undefined>;
}

/** As the indexes of the line say it. */
const inLine = `(step = 'submit' AND admitted_at IS NULL)`;
/** As the index of the tasks that are on their way says it. */
const onItsWay = `step <> 'done' AND NOT ${inLine}`;

/** Short enough for a read each second. */
const stretchLength = 5_000;

export function createWork({ pool }: Database): Work {
  return {
    async unfinishedTasks(after, limit) {
      const { rows } = await pool.query<UnfinishedTask>(
        `SELECT id, step = 'ingest' AS "isAtIngest" FROM task WHERE ${onItsWay} AND id > $1 ORDER BY id LIMIT $2`,
        [after, limit],
      );
      return rows;
    },
    async overdueInLine(limit) {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT id FROM task WHERE ${inLine} AND expires_at <= now() ORDER BY expires_at LIMIT $1`,
        [limit],
      );
      return rows.map((row) => row.id);
    },
    async polledTasks({ provider, baseUrl }, { after, skip, limit }) {
      // The inner query is the index in its order; with the conditions of the outer one in it, a
      // provider with few tasks is looked for in the whole table.
      const { rows } = await pool.query<PolledTasks['tasks'][number]>(
        `SELECT id, vendor_task_id AS "vendorTaskId"
         FROM (SELECT * FROM task WHERE ${onItsWay} AND id > $1 ORDER BY id OFFSET $2 LIMIT ${stretchLength}) stretch
         WHERE step = 'poll' AND step_failures = 0 AND vendor_task_id IS NOT NULL AND provider = $3 AND base_url = $4
         ORDER BY id LIMIT $5`,
        [after, skip, provider, baseUrl, limit],
      );
      if (rows.length === limit) return { tasks: rows, next: rows.at(-1)?.id };
      const end = await pool.query<{ id: string }>(
        `SELECT id FROM task WHERE ${onItsWay} AND id > $1 ORDER BY id OFFSET $2 LIMIT 1`,
        [after, skip + stretchLength - 1],
      );
      return { tasks: rows, next: end.rows[0]?.id };
    },
    async countAtVendor(provider) {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT places_taken AS count FROM vendor_line WHERE provider = $1',
        [provider],
      );
      return rows[0]?.count ?? 0;
    },
    async usualDurationMs(model) {
      const { rows } = await pool.query<{ usual: number | null }>(
        `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM completed_at - started_at) * 1000) AS usual
         FROM (SELECT completed_at, started_at FROM task WHERE model = $1 AND status = 'succeeded' ORDER BY id DESC LIMIT 50) recent`,
        [model],
      );
      return rows[0]?.usual ?? undefined;
    },
  };
}
