// SQL by hand: the conditions repeat partial indexes word for word, on the database's clock.
import type { Task } from '@gateway/contracts';
import type { Database } from '../database/database.ts';
import { toTask, type TaskRow } from './task-row.ts';

export interface UnfinishedTask {
  readonly id: string;
  /** Its files are being copied for the first time, or wait to be. */
  readonly isFreshAtIngest: boolean;
}

/**
 * A range of the unfinished tasks in the order of their ids: those above `after`, less the first
 * `skip`.
 */
export interface Stretch {
  readonly after: string;
  readonly skip: number;
  readonly limit: number;
}

/**
 * At most `limit` of a stretch of bounded length: there may be few or none although more follow.
 */
export interface PolledTasks {
  readonly tasks: readonly { readonly id: string; readonly vendorTaskId: string }[];
  /** Where the next stretch begins; undefined at the end. */
  readonly next: string | undefined;
}

/** What the reconcilers ask: what is due according to the tables, whatever the job queues say. */
export interface Work {
  /**
   * Every unfinished task that the video-worker must have a job for, in the order of the ids. One
   * that waits in the vendor queue needs none.
   */
  unfinishedTasks(after: string, limit: number): Promise<UnfinishedTask[]>;
  /** Tasks that wait in a provider's queue, by account and id, from behind one of them. */
  waitingTasks(
    provider: string,
    stretch: {
      readonly after?: Pick<Task, 'accountId' | 'id'> | undefined;
      readonly limit: number;
    },
  ): Promise<Task[]>;
  /** Ids of tasks whose deadline passed while they waited in the vendor queue. */
  overdueInQueue(limit: number): Promise<string[]>;
  /**
   * Tasks that are polled at one address of a provider, and whose last poll did not fail.
   */
  polledTasks(
    vendor: { readonly provider: string; readonly baseUrl: string },
    stretch: Stretch,
  ): Promise<PolledTasks>;
  /** Tasks that have a slot at this provider. */
  countAtVendor(provider: string): Promise<number>;
  /**
   * Milliseconds that videos of this model usually take at the vendor: the median of the newest
   * successes.
   */
  usualDurationMs(model: string): Promise<number | undefined>;
}

/** Worded like the indexes on the vendor queue, so that the planner can use them. */
const inQueue = `(step = 'submit' AND admitted_at IS NULL)`;
/** Worded like task_on_its_way_idx. */
const onItsWay = `step <> 'done' AND NOT ${inQueue}`;

/** Short enough to be read every second. */
const stretchLength = 5_000;

export function createWork({ pool }: Database): Work {
  return {
    async unfinishedTasks(after, limit) {
      const { rows } = await pool.query<UnfinishedTask>(
        `SELECT id, step = 'ingest' AND step_failures = 0 AS "isFreshAtIngest" FROM task WHERE ${onItsWay} AND id > $1 ORDER BY id LIMIT $2`,
        [after, limit],
      );
      return rows;
    },
    async waitingTasks(provider, { after, limit }) {
      const { rows } = await pool.query<TaskRow>(
        `SELECT * FROM task WHERE provider = $1 AND ${inQueue} AND (account_id, id) > ($2, $3) ORDER BY account_id, id LIMIT $4`,
        [provider, after?.accountId ?? '', after?.id ?? '', limit],
      );
      return rows.map(toTask);
    },
    async overdueInQueue(limit) {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT id FROM task WHERE ${inQueue} AND expires_at <= now() ORDER BY expires_at LIMIT $1`,
        [limit],
      );
      return rows.map((row) => row.id);
    },
    async polledTasks({ provider, baseUrl }, { after, skip, limit }) {
      // The inner query is the index in its order; with the conditions of the outer one in it, a
      // provider with few tasks would be searched for in the whole table.
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
