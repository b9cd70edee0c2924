import type { Database } from './database.ts';

export interface AccountBalance {
  /** Everything the account owns, held quota included. */
  readonly balanceQuota: number;
  readonly heldQuota: number;
  readonly availableQuota: number;
}

export interface Violation {
  readonly invariant: string;
  readonly subject: string;
  readonly detail: string;
}

export interface Ledger {
  /** Adds quota to an account, with its entry, in one statement. Throws when there is no such account. */
  topUp(accountId: string, quota: number, note: string): Promise<AccountBalance>;
  balanceOf(accountId: string): Promise<AccountBalance>;
  /** Every breach of the money invariants; empty when the books are right. */
  verify(options: { graceSeconds: number }): Promise<Violation[]>;
}

/** Each answers the rows that break it, as subject and detail. $1 is the grace in seconds that work in flight is given. */
const invariants: Readonly<Record<string, string>> = {
  balance_is_sum_of_entries: `
    SELECT account_id AS subject, format('balance %s, entries %s', b.balance, coalesce(e.total, 0)) AS detail
    FROM balance b LEFT JOIN (
      SELECT account_id, sum(CASE WHEN credit = 'available' AND debit LIKE 'operator:%' THEN quota WHEN credit LIKE 'operator:%' THEN -quota ELSE 0 END) AS total
      FROM ledger_entry GROUP BY account_id) e USING (account_id)
    WHERE b.balance <> coalesce(e.total, 0)`,
  held_is_sum_of_open_holds: `
    SELECT account_id AS subject, format('held %s, open holds %s', b.held, coalesce(h.total, 0)) AS detail
    FROM balance b LEFT JOIN (SELECT account_id, sum(quota) AS total FROM hold WHERE state = 'open' GROUP BY account_id) h USING (account_id)
    WHERE b.held <> coalesce(h.total, 0)`,
  held_is_sum_of_entries: `
    SELECT account_id AS subject, format('held %s, entries %s', b.held, coalesce(e.total, 0)) AS detail
    FROM balance b LEFT JOIN (
      SELECT account_id, sum(CASE WHEN credit = 'held' THEN quota WHEN debit = 'held' THEN -quota ELSE 0 END) AS total
      FROM ledger_entry GROUP BY account_id) e USING (account_id)
    WHERE b.held <> coalesce(e.total, 0)`,
  no_account_below_zero: `SELECT account_id AS subject, format('balance %s, held %s', balance, held) AS detail FROM balance WHERE held < 0 OR balance < held`,
  live_task_has_open_hold: `
    SELECT t.id AS subject, format('task is %s, hold is %s', t.status, coalesce(h.state, 'missing')) AS detail
    FROM task t LEFT JOIN hold h ON h.task_id = t.id WHERE t.completed_at IS NULL AND h.state IS DISTINCT FROM 'open'`,
  terminal_task_has_closed_hold: `
    SELECT t.id AS subject, format('task is %s since %s', t.status, t.completed_at) AS detail
    FROM task t JOIN hold h ON h.task_id = t.id
    WHERE h.state = 'open' AND t.completed_at < now() - make_interval(secs => $1)`,
  charged_as_billed: `
    SELECT t.id AS subject, format('billed %s, charged %s', t.billed_quota, h.charged_quota) AS detail
    FROM task t JOIN hold h ON h.task_id = t.id WHERE h.state = 'closed' AND t.billed_quota IS DISTINCT FROM h.charged_quota`,
  closed_hold_has_its_entries: `
    SELECT h.task_id AS subject, format('hold %s charged %s, entries: %s', h.quota, h.charged_quota, e.found) AS detail
    FROM hold h CROSS JOIN LATERAL (
      SELECT coalesce(sum(quota) FILTER (WHERE kind = 'hold'), 0) AS held, coalesce(sum(quota) FILTER (WHERE kind = 'charge'), 0) AS charged,
             coalesce(sum(quota) FILTER (WHERE kind = 'release'), 0) AS released, string_agg(kind || ' ' || quota, ', ') AS found
      FROM ledger_entry WHERE task_id = h.task_id) e
    WHERE h.state = 'closed' AND (e.held <> h.quota OR e.charged <> h.charged_quota OR e.charged + e.released <> h.quota)`,
  hold_without_task: `
    SELECT h.task_id AS subject, format('open since %s', h.created_at) AS detail FROM hold h
    WHERE h.state = 'open' AND h.created_at < now() - make_interval(secs => $1 * 4) AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = h.task_id)`,
  events_are_gapless: `
    SELECT t.id AS subject, format('%s events, newest %s', count(e.sequence), t.event_sequence) AS detail
    FROM task t LEFT JOIN task_event e ON e.task_id = t.id GROUP BY t.id
    HAVING count(e.sequence) <> t.event_sequence OR max(e.sequence) <> t.event_sequence`,
  text_is_charged_as_it_cost: `
    SELECT b.account_id AS subject, format('cost %s, charged %s, uncollected %s, remainder %s', coalesce(u.cost, 0), coalesce(e.charged, 0), coalesce(m.missing, 0), b.text_remainder_nano) AS detail
    FROM balance b
    LEFT JOIN (SELECT account_id, sum(cost_nano) AS cost FROM usage_record GROUP BY account_id) u USING (account_id)
    LEFT JOIN (SELECT account_id, sum(quota) AS charged FROM ledger_entry WHERE kind = 'charge' AND debit = 'available' GROUP BY account_id) e USING (account_id)
    LEFT JOIN (SELECT account_id, sum(quota) AS missing FROM usage_uncollected GROUP BY account_id) m USING (account_id)
    WHERE coalesce(u.cost, 0) <> (coalesce(e.charged, 0) + coalesce(m.missing, 0)) * 1000000000 + b.text_remainder_nano`,
  text_usage_has_a_balance: `
    SELECT account_id AS subject, format('%s records cost %s', count(*), sum(cost_nano)) AS detail
    FROM usage_record u WHERE NOT EXISTS (SELECT 1 FROM balance b WHERE b.account_id = u.account_id) GROUP BY account_id`,
  usage_is_taken_from_the_outbox: `SELECT id AS subject, format('waiting since %s', created_at) AS detail FROM usage_batch WHERE created_at < now() - make_interval(secs => $1)`,
  succeeded_task_has_its_video: `
    SELECT t.id AS subject, 'no content in media' AS detail FROM task t
    WHERE t.status = 'succeeded' AND NOT EXISTS (SELECT 1 FROM media m WHERE m.task_id = t.id AND m.variant = 'content')`,
};

export const invariantNames = Object.keys(invariants);

export function createLedger({ pool }: Database): Ledger {
  return {
    async topUp(accountId, quota, note) {
      const { rows } = await pool.query<{ balance: number; held: number }>(
        `WITH moved AS (
           INSERT INTO balance (account_id, balance) VALUES ($1, $2)
           ON CONFLICT (account_id) DO UPDATE SET balance = balance.balance + excluded.balance
           RETURNING balance, held),
         entry AS (
           INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after, note)
           SELECT $1, 'top_up', $2, 'operator:issued', 'available', balance, held, $3 FROM moved)
         SELECT balance, held FROM moved`, [accountId, quota, note]);
      return toBalance(rows[0]);
    },
    async balanceOf(accountId) {
      const { rows } = await pool.query<{ balance: number; held: number }>('SELECT balance, held FROM balance WHERE account_id = $1', [accountId]);
      return toBalance(rows[0]);
    },
    async verify({ graceSeconds }) {
      const found: Violation[] = [];
      for (const [invariant, sql] of Object.entries(invariants)) {
        const { rows } = await pool.query<{ subject: string; detail: string }>(sql.includes('$1') ? { text: `${sql} LIMIT 100`, values: [graceSeconds] } : `${sql} LIMIT 100`);
        found.push(...rows.map(({ subject, detail }) => ({ invariant, subject, detail })));
      }
      return found;
    },
  };
}

const toBalance = (row = { balance: 0, held: 0 }): AccountBalance => ({ balanceQuota: row.balance, heldQuota: row.held, availableQuota: row.balance - row.held });
