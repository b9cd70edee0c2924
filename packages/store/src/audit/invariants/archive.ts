import { balanceStep, heldStep, lastDroppedEntry, type Invariant } from './invariant.ts';

/** What nothing changes any more: looked at by the full audit alone. */
export const archiveInvariants = {
  archived_task_has_its_entries: {
    scope: 'archive',
    sql: ({ within }) => `
      SELECT a.task_id AS subject, format('held %s, charged %s, entries: %s', a.held_quota, a.charged_quota, coalesce(e.found, 'none')) AS detail
      FROM archived_task a LEFT JOIN LATERAL (
        SELECT coalesce(sum(quota) FILTER (WHERE kind = 'hold'), 0) AS held, coalesce(sum(quota) FILTER (WHERE kind = 'charge'), 0) AS charged,
          coalesce(sum(quota) FILTER (WHERE kind = 'release'), 0) AS released, bool_and(account_id = a.account_id) AS is_own, count(*) FILTER (WHERE kind = 'hold') AS holds, string_agg(kind || ' ' || quota, ', ' ORDER BY id) AS found
        FROM ledger_entry WHERE task_id = a.task_id) e ON true
      WHERE ${within('a.task_id')} AND (e.is_own IS NOT TRUE OR e.held <> a.held_quota OR e.charged <> a.charged_quota OR e.charged + e.released <> a.held_quota)
        AND (e.holds > 0 OR a.created_at > coalesce(${lastDroppedEntry} + interval '1 day', '-infinity'))`,
  },
  archived_task_is_nowhere_else: {
    scope: 'archive',
    sql: ({ within }) => `
      SELECT a.task_id AS subject, format('also in %s', CASE WHEN t.id IS NULL THEN 'hold' ELSE 'task' END) AS detail
      FROM archived_task a LEFT JOIN task t ON t.id = a.task_id LEFT JOIN hold h ON h.task_id = a.task_id
      WHERE ${within('a.task_id')} AND (t.id IS NOT NULL OR h.task_id IS NOT NULL)`,
  },
  // From what is carried of months that were dropped; a closing within those was compared then.
  closing_is_sum_of_entries: {
    scope: 'closings',
    sql: ({ within }) => `
      SELECT c.account_id AS subject, format('%s closes with balance %s, held %s and %s entries, which lead to %s, %s and %s', to_char(c.month, 'YYYY-MM'), c.balance, c.held, c.entries, s.balance, s.held, s.entries) AS detail
      FROM ledger_closing c LEFT JOIN LATERAL (
        SELECT * FROM (
          SELECT last_entry_id, entries, balance, held, text_charged, debt_paid FROM ledger_closing WHERE account_id = c.account_id AND month < c.month
          UNION ALL SELECT last_entry_id, entries, balance, held, text_charged, debt_paid FROM ledger_carried WHERE account_id = c.account_id AND lease_id = '') known
        ORDER BY last_entry_id DESC LIMIT 1) p ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(p.entries, 0) + count(*) AS entries, coalesce(p.balance, 0) + coalesce(sum(${balanceStep}), 0) AS balance, coalesce(p.held, 0) + coalesce(sum(${heldStep}), 0) AS held,
          coalesce(p.text_charged, 0) + coalesce(sum(quota) FILTER (WHERE kind = 'charge' AND task_id IS NULL), 0) AS text_charged, coalesce(p.debt_paid, 0) + coalesce(sum(quota) FILTER (WHERE kind = 'debt'), 0) AS debt_paid
        FROM ledger_entry WHERE account_id = c.account_id AND id <= c.last_entry_id AND id > coalesce(p.last_entry_id, -1)) s
      WHERE ${within('c.account_id')} AND (c.entries, c.balance, c.held, c.text_charged, c.debt_paid) IS DISTINCT FROM (s.entries, s.balance, s.held, s.text_charged, s.debt_paid)
        AND coalesce(p.last_entry_id, -1) <= c.last_entry_id`,
  },
} as const satisfies Record<string, Invariant>;
