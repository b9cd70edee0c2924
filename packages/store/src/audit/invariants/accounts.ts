import { balanceStep, heldStep, lastLedgerDrop, type Invariant } from './invariant.ts';

export const accountInvariants = {
  balance_is_sum_of_entries: {
    scope: 'accounts',
    sql: ({ within, entryTotals }) => `
      SELECT account_id AS subject, format('balance %s, entries %s', b.balance, coalesce(e.balance, 0)) AS detail
      FROM balance b LEFT JOIN ${entryTotals} e USING (account_id)
      WHERE ${within('b.account_id')} AND b.balance <> coalesce(e.balance, 0)`,
  },
  held_is_sum_of_open_holds: {
    scope: 'accounts',
    sql: ({ within }) => `
      SELECT account_id AS subject, format('held %s, open holds %s, open leases %s', b.held, coalesce(h.total, 0), coalesce(l.total, 0)) AS detail
      FROM balance b LEFT JOIN (SELECT account_id, sum(quota) AS total FROM hold WHERE state = 'open' GROUP BY account_id) h USING (account_id)
      LEFT JOIN (SELECT account_id, sum(held_quota) AS total FROM text_lease WHERE state = 'open' GROUP BY account_id) l USING (account_id)
      WHERE ${within('b.account_id')} AND b.held <> coalesce(h.total, 0) + coalesce(l.total, 0)`,
  },
  held_is_sum_of_entries: {
    scope: 'accounts',
    sql: ({ within, entryTotals }) => `
      SELECT account_id AS subject, format('held %s, entries %s', b.held, coalesce(e.held, 0)) AS detail
      FROM balance b LEFT JOIN ${entryTotals} e USING (account_id)
      WHERE ${within('b.account_id')} AND b.held <> coalesce(e.held, 0)`,
  },
  no_account_below_zero: {
    scope: 'accounts',
    sql: ({ within }) => `
      SELECT account_id AS subject, format('balance %s, held %s', balance, held) AS detail FROM balance
      WHERE ${within('account_id')} AND (held < 0 OR balance < held)`,
  },
  // Each entry against the one before it in its account, however long ago that was, or what is carried of those.
  entries_form_a_chain: {
    scope: 'entries',
    sql: ({ within }) => `
      SELECT account_id AS subject, format('entry %s leads to balance %s and held %s, and says %s and %s', id, balance, held, balance_after, held_after) AS detail, id::text AS key
      FROM (
        SELECT e.account_id, e.id, e.balance_after, e.held_after, coalesce(p.balance_after, c.balance, 0) + ${balanceStep} AS balance, coalesce(p.held_after, c.held, 0) + ${heldStep} AS held
        FROM ledger_entry e LEFT JOIN LATERAL (
          SELECT balance_after, held_after FROM ledger_entry WHERE account_id = e.account_id AND id < e.id ORDER BY id DESC LIMIT 1) p ON true
          LEFT JOIN ledger_carried c ON c.account_id = e.account_id AND c.lease_id = ''
        WHERE ${within('e.id')}) chain
      WHERE balance <> balance_after OR held <> held_after`,
  },
  adjustment_corrects_its_own: {
    scope: 'entries',
    sql: ({ within }) => `
      SELECT e.account_id AS subject, format('entry %s corrects %s, which is %s', e.id, e.corrected_task_id, coalesce('of ' || owner.id, 'unknown')) AS detail, e.id::text AS key
      FROM ledger_entry e CROSS JOIN LATERAL (SELECT coalesce(
        (SELECT h.account_id FROM hold h WHERE h.task_id = e.corrected_task_id),
        (SELECT first.account_id FROM ledger_entry first WHERE first.task_id = e.corrected_task_id AND first.kind = 'hold')) AS id) owner
      WHERE ${within('e.id')} AND e.corrected_task_id IS NOT NULL AND owner.id IS DISTINCT FROM e.account_id
        AND (owner.id IS NOT NULL OR ${lastLedgerDrop} IS NULL OR e.created_at > ${lastLedgerDrop})`,
  },
  text_is_charged_as_it_cost: {
    scope: 'accounts',
    sql: ({ within, entryTotals, usageTotals, owedTotals }) => `
      SELECT b.account_id AS subject, format('cost %s, charged %s, owed or uncollected %s, remainder %s', coalesce(u.cost, 0), coalesce(e.text_charged, 0), coalesce(m.missing, 0), b.text_remainder_nano + coalesce(l.remainder, 0)) AS detail
      FROM balance b LEFT JOIN ${usageTotals} u USING (account_id) LEFT JOIN ${entryTotals} e USING (account_id) LEFT JOIN ${owedTotals} m USING (account_id)
      LEFT JOIN (SELECT account_id, sum(remainder_nano) AS remainder FROM text_lease WHERE state = 'open' GROUP BY account_id) l USING (account_id)
      WHERE ${within('b.account_id')}
        AND coalesce(u.cost, 0) <> (coalesce(e.text_charged, 0) + coalesce(m.missing, 0)) * 1000000000 + b.text_remainder_nano + coalesce(l.remainder, 0)`,
  },
  debt_is_what_is_owed: {
    scope: 'accounts',
    sql: ({ within, entryTotals, owedTotals }) => `
      SELECT b.account_id AS subject, format('debt %s, owed %s, paid %s', b.debt_quota, coalesce(m.owed, 0), coalesce(e.debt_paid, 0)) AS detail
      FROM balance b LEFT JOIN ${owedTotals} m USING (account_id) LEFT JOIN ${entryTotals} e USING (account_id)
      WHERE ${within('b.account_id')} AND b.debt_quota <> coalesce(m.owed, 0) - coalesce(e.debt_paid, 0)`,
  },
  lease_has_its_entries: {
    scope: 'accounts',
    sql: ({ within, leaseTotals }) => `
      SELECT coalesce(l.id, e.lease_id) AS subject, format('lease holds %s, entries %s', coalesce(l.held_quota, 0), coalesce(e.held, 0)) AS detail
      FROM (SELECT * FROM text_lease WHERE state = 'open' AND ${within('account_id')}) l
      FULL JOIN ${leaseTotals} e ON e.lease_id = l.id LEFT JOIN text_lease known ON known.id = e.lease_id
      WHERE coalesce(l.held_quota, 0) <> coalesce(e.held, 0) OR e.is_mixed OR e.account_id <> known.account_id`,
  },
  text_usage_has_a_balance: {
    scope: 'accounts',
    sql: ({ textUsage }) => `
      SELECT account_id AS subject, format('%s records cost %s', count(*), sum(cost_nano)) AS detail
      FROM ${textUsage} u WHERE NOT EXISTS (SELECT 1 FROM balance b WHERE b.account_id = u.account_id) GROUP BY account_id`,
  },
} as const satisfies Record<string, Invariant>;
