// SQL by hand: money. Each statement decides, writes and posts under the balances' locks.
import type { HoldOutcome, HoldRequest } from '@gateway/contracts';
import type pg from 'pg';

/** Holds of one account, in the order in which they are decided. */
export interface HoldOrder {
  readonly accountId: string;
  readonly requests: readonly HoldRequest[];
}

export interface HoldDecision {
  readonly taskId: string;
  /**
   * `undecided`: refused only because of its neighbours in the batch, or seen half-way; decide it
   * again on its own.
   */
  readonly outcome: HoldOutcome | 'undecided';
  readonly availableQuota: number;
}

/**
 * The balances are locked first and read as they are then; a request is admitted while the running
 * sum of its account fits. What the INSERT returns is what is held: a task that another replica has
 * just taken conflicts there and is not counted. The UPDATE writes from the locked row: PostgreSQL
 * checks constraints on the row as the statement's snapshot saw it before it turns to a newer one,
 * and quota that was freed meanwhile would seem overdrawn. Balances and holds are looked up one by
 * one, in subqueries that cannot become joins: a plan made while the table is small, and kept, would
 * read all of it each time. While text is owed for, nothing is available.
 */
const takeSql = (locking: 'FOR UPDATE' | 'FOR UPDATE SKIP LOCKED'): string => `
  WITH input AS (
    SELECT * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::int[], $6::bigint[], $7::jsonb[])
      WITH ORDINALITY AS i(account_id, task_id, quota, seconds, second_quota, price, place)),
  locked AS (
    SELECT l.* FROM unnest($1::text[]) AS a(id) CROSS JOIN LATERAL (
      SELECT account_id, balance, held, CASE WHEN debt_quota > 0 THEN 0 ELSE balance - held END AS available
      FROM balance WHERE account_id = a.id ${locking}) l),
  fresh AS (
    SELECT i.*, sum(i.quota) OVER (PARTITION BY account_id ORDER BY place) AS running FROM input i
    WHERE (SELECT true FROM hold h WHERE h.task_id = i.task_id) IS NULL),
  taken AS (
    INSERT INTO hold (task_id, account_id, quota, seconds, second_quota, price)
    SELECT f.task_id, f.account_id, f.quota, f.seconds, f.second_quota, f.price
    FROM fresh f JOIN locked USING (account_id) WHERE f.running <= locked.available
    ON CONFLICT (task_id) DO NOTHING
    RETURNING task_id, account_id, quota),
  summed AS (
    SELECT *, sum(quota) OVER (PARTITION BY account_id ORDER BY task_id) AS running,
      sum(quota) OVER (PARTITION BY account_id) AS total FROM taken),
  moved AS (
    UPDATE balance b SET balance = l.balance, held = l.held + t.total
    FROM (SELECT account_id, sum(quota) AS total FROM taken GROUP BY account_id) t JOIN locked l USING (account_id)
    WHERE b.account_id = t.account_id
    RETURNING b.account_id, b.balance, b.held),
  entries AS (
    INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after)
    SELECT s.account_id, s.task_id, 'hold', s.quota, 'available', 'held', m.balance, m.held - s.total + s.running
    FROM summed s JOIN moved m USING (account_id) ORDER BY s.account_id, s.task_id)
  SELECT i.account_id, i.task_id, i.quota, l.available, t.task_id IS NOT NULL AS taken,
    (SELECT h.state FROM hold h WHERE h.task_id = i.task_id) AS state
  FROM input i LEFT JOIN locked l USING (account_id) LEFT JOIN taken t USING (task_id)
  ORDER BY i.place`;

const takeOne = { name: 'take-holds', text: takeSql('FOR UPDATE') };
const takeSeveral = { name: 'take-holds-together', text: takeSql('FOR UPDATE SKIP LOCKED') };

interface TakenRow {
  account_id: string;
  task_id: string;
  quota: number;
  /** Null for an account whose balance was not locked: it has none, or others hold it. */
  available: number | null;
  taken: boolean;
  state: 'open' | 'closed' | null;
}

/** Waits for the balance's lock. */
export async function takeHolds(pool: pg.Pool, order: HoldOrder): Promise<HoldDecision[]> {
  let rows = await send(pool, takeOne, [order]);
  if (rows.some(({ available }) => available === null)) {
    await pool.query(
      'INSERT INTO balance (account_id) SELECT id FROM account WHERE id = $1 ON CONFLICT DO NOTHING',
      [order.accountId],
    );
    rows = await send(pool, takeOne, [order]);
  }
  const states = await statesSince(pool, rows);
  return rows.map((row) => decisionOf(row, states));
}

/** Waits for nobody; accounts that it could not lock are missing. */
export async function takeHoldsTogether(
  pool: pg.Pool,
  orders: readonly HoldOrder[],
): Promise<ReadonlyMap<string, readonly HoldDecision[]>> {
  const rows = await send(pool, takeSeveral, orders);
  const locked = rows.filter(({ available }) => available !== null);
  const states = await statesSince(pool, locked);
  const found = new Map<string, HoldDecision[]>();
  for (const row of locked) {
    const own = found.get(row.account_id) ?? [];
    found.set(row.account_id, own);
    own.push(decisionOf(row, states));
  }
  return found;
}

async function send(
  pool: pg.Pool,
  statement: typeof takeOne,
  orders: readonly HoldOrder[],
): Promise<TakenRow[]> {
  const requests = orders.flatMap((order) => order.requests);
  const column = <Key extends keyof HoldRequest>(key: Key): HoldRequest[Key][] =>
    requests.map((request) => request[key]);
  const { rows } = await pool.query<TakenRow>({
    ...statement,
    values: [
      orders.map(({ accountId }) => accountId),
      orders.flatMap((order) => order.requests.map(() => order.accountId)),
      column('task_id'),
      column('quota'),
      column('seconds'),
      column('second_quota'),
      requests.map(({ price }) => (price === undefined ? null : JSON.stringify(price))),
    ],
  });
  return rows;
}

/**
 * Holds that another replica took while the statement waited for the balance: its snapshot could not
 * show them, a later one does.
 */
async function statesSince(
  pool: pg.Pool,
  rows: readonly TakenRow[],
): Promise<ReadonlyMap<string, 'open' | 'closed'>> {
  const unknown = rows.filter(({ taken, state }) => !taken && state === null);
  if (unknown.length === 0) return new Map();
  const found = await pool.query<{ task_id: string; state: 'open' | 'closed' }>(
    'SELECT task_id, state FROM hold WHERE task_id = ANY($1)',
    [unknown.map((row) => row.task_id)],
  );
  return new Map(found.rows.map((row) => [row.task_id, row.state]));
}

function decisionOf(
  { task_id: taskId, taken, state, quota, available }: TakenRow,
  later: ReadonlyMap<string, 'open' | 'closed'>,
): HoldDecision {
  const availableQuota = available ?? 0;
  const known = state ?? later.get(taskId);
  if (taken) return { taskId, outcome: 'held', availableQuota };
  if (known !== undefined) {
    return { taskId, outcome: known === 'open' ? 'exists' : 'closed', availableQuota };
  }
  const outcome = quota > availableQuota ? 'insufficient' : 'undecided';
  return { taskId, outcome, availableQuota };
}
