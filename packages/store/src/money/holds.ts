// SQL by hand: money. Each statement decides, writes and posts under the balance's lock.
import type { HoldRequest } from '@gateway/contracts';
import type pg from 'pg';
import { inTransaction, type Database } from '../database/database.ts';
import { takeHolds, takeHoldsTogether, type HoldDecision, type HoldOrder } from './take-holds.ts';

export interface Holds {
  /**
   * Decides holds of one account together, in the order given, in one statement. Idempotent by
   * task.
   */
  take(accountId: string, requests: readonly HoldRequest[]): Promise<HoldDecision[]>;
  /**
   * The same for several accounts in one statement, which waits for no balance: an account whose
   * balance is locked by others, or that has none yet, is missing in the result and has to be taken
   * alone. Each account at most once.
   */
  takeTogether(orders: readonly HoldOrder[]): Promise<ReadonlyMap<string, readonly HoldDecision[]>>;
  /**
   * Closes the hold of a terminal task: charge, release, entries and balance in one statement.
   * Returns whether this call closed it.
   */
  settle(taskId: string): Promise<boolean>;
  /**
   * Gives back holds whose task was never created, older than `graceSeconds`. Returns their task
   * ids.
   */
  releaseOrphans(graceSeconds: number): Promise<string[]>;
  /**
   * Gives back the hold of a task that was refused; false when it is closed already, or the task
   * was created after all.
   */
  release(taskId: string): Promise<boolean>;
  /** Ids of terminal tasks whose hold is still open. */
  findUnsettled(limit: number): Promise<string[]>;
}

/**
 * Closes the open holds that `ending` (task_id, charged) names; whoever gets the row from the
 * UPDATE writes the entries.
 */
const closingSql = (ending: string): string => `
  WITH ending AS (${ending}),
  closed AS (
    UPDATE hold h SET state = 'closed', closed_at = now(), charged_quota = least(e.charged, h.quota)
    FROM ending e WHERE h.task_id = e.task_id AND h.state = 'open'
    RETURNING h.task_id, h.account_id, h.quota, h.charged_quota),
  sums AS (SELECT account_id, sum(quota) AS quota, sum(charged_quota) AS charged FROM closed GROUP BY account_id),
  moved AS (
    UPDATE balance b SET balance = b.balance - s.charged, held = b.held - s.quota
    FROM sums s WHERE b.account_id = s.account_id
    RETURNING b.account_id, b.balance, b.held, s.quota AS total_quota, s.charged AS total_charged),
  steps AS (
    SELECT account_id, task_id, 'charge' AS kind, charged_quota AS quota, 'operator:revenue' AS credit, charged_quota AS from_balance, 1 AS place FROM closed WHERE charged_quota > 0
    UNION ALL
    SELECT account_id, task_id, 'release', quota - charged_quota, 'available', 0, 2 FROM closed WHERE quota > charged_quota OR charged_quota = 0),
  summed AS (
    SELECT *, sum(quota) OVER w AS run_held, sum(from_balance) OVER w AS run_balance FROM steps
    WINDOW w AS (PARTITION BY account_id ORDER BY task_id, place)),
  entries AS (
    INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after)
    SELECT s.account_id, s.task_id, s.kind, s.quota, 'held', s.credit, m.balance + m.total_charged - s.run_balance, m.held + m.total_quota - s.run_held
    FROM summed s JOIN moved m USING (account_id) ORDER BY s.account_id, s.task_id, s.place)
  SELECT task_id FROM closed`;

const settleSql = closingSql(
  `SELECT id AS task_id, billed_quota AS charged FROM task WHERE id = $1 AND completed_at IS NOT NULL`,
);

/**
 * Runs after the rows were locked, with a fresh view: a task inserted meanwhile is seen, one
 * inserted later finds its hold locked.
 */
const releaseSql = closingSql(
  `SELECT task_id, 0::bigint AS charged FROM unnest($1::text[]) AS o(task_id) WHERE NOT EXISTS (SELECT 1 FROM task t WHERE t.id = o.task_id)`,
);

export function createHolds({ pool }: Database): Holds {
  return {
    take: (accountId, requests) => takeHolds(pool, { accountId, requests }),
    takeTogether: (orders) => takeHoldsTogether(pool, orders),
    async settle(taskId) {
      const { rowCount } = await pool.query({
        name: 'settle-task',
        text: settleSql,
        values: [taskId],
      });
      return rowCount === 1;
    },
    release: (taskId) =>
      inTransaction(pool, async (client) => {
        // The lock waits for an insert of the task that is under way; the next statement sees it.
        await client.query(`SELECT 1 FROM hold WHERE task_id = $1 AND state = 'open' FOR UPDATE`, [
          taskId,
        ]);
        return (await client.query(releaseSql, [[taskId]])).rowCount === 1;
      }),
    releaseOrphans: (graceSeconds) =>
      inTransaction(pool, (client) => releaseOrphans(client, graceSeconds)),
    async findUnsettled(limit) {
      const { rows } = await pool.query<{ task_id: string }>(
        `SELECT h.task_id FROM hold h JOIN task t ON t.id = h.task_id WHERE h.state = 'open' AND t.completed_at IS NOT NULL ORDER BY t.completed_at LIMIT $1`,
        [limit],
      );
      return rows.map((row) => row.task_id);
    },
  };
}

async function releaseOrphans(client: pg.PoolClient, graceSeconds: number): Promise<string[]> {
  const { rows } = await client.query<{ task_id: string }>(
    `SELECT h.task_id FROM hold h WHERE h.state = 'open' AND h.created_at < now() - make_interval(secs => $1)
       AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = h.task_id)
     ORDER BY h.task_id LIMIT 500 FOR UPDATE OF h SKIP LOCKED`,
    [graceSeconds],
  );
  if (rows.length === 0) return [];
  // Several balances are locked in the order of their ids everywhere, so that nobody waits in a
  // circle.
  await client.query(
    'SELECT 1 FROM balance WHERE account_id IN (SELECT account_id FROM hold WHERE task_id = ANY($1)) ORDER BY account_id FOR UPDATE',
    [rows.map((row) => row.task_id)],
  );
  const released = await client.query<{ task_id: string }>(releaseSql, [
    rows.map((row) => row.task_id),
  ]);
  return released.rows.map((row) => row.task_id);
}
