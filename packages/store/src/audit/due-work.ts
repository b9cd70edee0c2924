// SQL by hand: ages by the database's clock, with conditions that repeat partial indexes.
import { accountsSql, isOwedSql } from '../callbacks/due-callbacks.ts';
import { endpointPushes, taskPushes, type PushTables } from '../callbacks/push-tables.ts';
import type { Database } from '../database/database.ts';

/** Work that is due according to the tables. */
export interface Due {
  readonly count: number;
  /** Seconds since when the first of it has been due; 0 when nothing is. */
  readonly oldestSeconds: number;
}

/** The queue of tasks that wait for a slot at one vendor. */
export interface VendorQueueState {
  readonly provider: string;
  readonly slotsTaken: number;
  readonly waiting: number;
  readonly oldestSeconds: number;
}

/**
 * For monitoring: how far behind the workers are. Read from the tables, which are the truth, and
 * not from the job queues.
 */
export interface DueWork {
  /**
   * Tasks that have a slot and that no worker has tried to submit yet. Jobs run in order, so every
   * other job is about as late.
   */
  firstSubmissions(): Promise<Due>;
  vendorQueues(): Promise<VendorQueueState[]>;
  /**
   * Callbacks with a pending push that is not delayed, does not wait for its receiver, and that
   * nobody has claimed.
   */
  pushes(): Promise<Due>;
  /** Finished tasks whose hold is still open. */
  settlements(): Promise<Due>;
  /** Batches of text usage in the outbox. */
  usageBatches(): Promise<Due>;
}

const age = (since: string): string =>
  `coalesce(greatest(extract(epoch FROM now() - min(${since})), 0), 0)::float8 AS "oldestSeconds"`;

/**
 * The first two conditions are redundant: they repeat those of task_on_its_way_idx word for word,
 * so that the planner can use it.
 */
const firstSubmissionsSql = `
  SELECT count(*)::int AS count, ${age('admitted_at')} FROM task
  WHERE step <> 'done' AND NOT (step = 'submit' AND admitted_at IS NULL) AND step = 'submit' AND step_failures = 0`;

const vendorQueuesSql = `
  SELECT v.provider, v.places_taken AS "slotsTaken", count(t.id)::int AS waiting, ${age('t.created_at')}
  FROM vendor_line v LEFT JOIN task t ON t.provider = v.provider AND t.step = 'submit' AND t.admitted_at IS NULL
  GROUP BY v.provider ORDER BY v.provider`;

/**
 * Due since the latest of: its event, the end of a delay or of a claim, a request for a redelivery.
 * What waits for its receiver is not late.
 */
const duePushesSql = (tables: PushTables): string => {
  const { callback, push, key } = tables;
  const duePushSql = (due: string): string => `
      SELECT c.* FROM ${callback} c
      WHERE ${isOwedSql('c')} AND c.account_id = a.account_id AND ${due} AND (c.claimed_until IS NULL OR c.claimed_until <= now())`;
  return `
  WITH RECURSIVE ${accountsSql(tables, { after: "''", limit: '1000000' })}
    SELECT greatest(min(e.at), c.due_at, c.claimed_until, c.manual_at) AS since
    FROM account a, LATERAL (${duePushSql('c.due_at IS NULL')} UNION ALL ${duePushSql('c.due_at <= now()')}) c
    JOIN ${push} p USING (${key}) JOIN task_event e ON e.task_id = c.task_id AND e.sequence = p.sequence
    WHERE p.state = 'pending'
    GROUP BY c.${key}, c.due_at, c.claimed_until, c.manual_at`;
};
const pushesSql = `
  SELECT count(*)::int AS count, ${age('due.since')}
  FROM ((${duePushesSql(taskPushes)}) UNION ALL (${duePushesSql(endpointPushes)})) due`;

const settlementsSql = `
  SELECT count(*)::int AS count, ${age('t.completed_at')} FROM hold h JOIN task t ON t.id = h.task_id WHERE h.state = 'open' AND t.completed_at IS NOT NULL`;

const usageBatchesSql = `SELECT count(*)::int AS count, ${age('created_at')} FROM usage_batch`;

export function createDueWork({ pool }: Pick<Database, 'pool'>): DueWork {
  const due = async (sql: string): Promise<Due> =>
    (await pool.query<Due>(sql)).rows[0] ?? { count: 0, oldestSeconds: 0 };
  return {
    firstSubmissions: () => due(firstSubmissionsSql),
    vendorQueues: async () => (await pool.query<VendorQueueState>(vendorQueuesSql)).rows,
    pushes: () => due(pushesSql),
    settlements: () => due(settlementsSql),
    usageBatches: () => due(usageBatchesSql),
  };
}
