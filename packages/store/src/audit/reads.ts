import { balanceStep, heldStep, type Reads, type Scope } from './invariants/invariant.ts';

const entryColumns = `account_id, ${balanceStep} AS balance, ${heldStep} AS held,
  CASE WHEN kind = 'charge' AND task_id IS NULL THEN quota ELSE 0 END AS text_charged, CASE WHEN kind = 'debt' THEN quota ELSE 0 END AS debt_paid`;
const owedColumns = `account_id, quota AS missing, CASE WHEN is_debt THEN quota ELSE 0 END AS owed`;

const entrySums = (rows: string): string =>
  `(SELECT account_id, sum(balance) AS balance, sum(held) AS held, sum(text_charged) AS text_charged, sum(debt_paid) AS debt_paid FROM (${rows}) entries GROUP BY account_id)`;
const usageSums = (rows: string): string =>
  `(SELECT account_id, sum(cost) AS cost FROM (${rows}) usage GROUP BY account_id)`;
const owedSums = (rows: string): string =>
  `(SELECT account_id, sum(missing) AS missing, sum(owed) AS owed FROM (${rows}) missed GROUP BY account_id)`;
const leaseSums = (rows: string): string =>
  `(SELECT lease_id, min(account_id) AS account_id, bool_or(is_mixed) OR min(account_id) <> max(account_id) AS is_mixed, sum(held) AS held FROM (${rows}) leases GROUP BY lease_id)`;

const leaseColumns = `lease_id, account_id, false AS is_mixed, ${heldStep} AS held`;

/**
 * Rows of each table that the checkpoints do not hold yet: `{ledger_entry}` and so on are their last
 * numbers. A row without a number is from before there were numbers, and is in the checkpoint.
 */
const sinceCheckpoint = {
  entries: `SELECT ${entryColumns} FROM ledger_entry WHERE id > {ledger_entry}::bigint`,
  leases: `SELECT ${leaseColumns} FROM ledger_entry WHERE id > {ledger_entry}::bigint AND lease_id IS NOT NULL`,
  usage: `SELECT account_id, cost_nano AS cost FROM usage_record WHERE serial > {usage_record}::bigint`,
  owed: `SELECT ${owedColumns} FROM usage_uncollected WHERE serial > {usage_uncollected}::bigint`,
} as const;

const idTypes = {
  tasks: 'text',
  accounts: 'text',
  entries: 'bigint',
  live: 'text',
  archive: 'text',
  closings: 'text',
} as const;

/** Sums of entries whose months were dropped. */
const carried = `SELECT account_id, balance, held, text_charged, debt_paid FROM ledger_carried WHERE lease_id = ''`;
const carriedLeases = `SELECT lease_id, account_id, false AS is_mixed, held FROM ledger_carried WHERE lease_id <> ''`;

/** What text cost whose single records are gone. */
const rolledUp = `SELECT account_id, cost_nano AS cost FROM usage_day WHERE kind = 'text'`;

/** The checkpoints and what came after them; ids in `{ids}`, and all accounts. */
export const runningReads = (scope: Scope): Reads => ({
  within: (column) =>
    scope === 'accounts' ? 'true' : `${column} = ANY ({ids}::${idTypes[scope]}[])`,
  entryTotals: entrySums(
    `SELECT account_id, balance, held, text_charged, debt_paid FROM audit_account UNION ALL ${sinceCheckpoint.entries}`,
  ),
  usageTotals: usageSums(
    `SELECT account_id, text_cost_nano AS cost FROM audit_account UNION ALL ${sinceCheckpoint.usage}`,
  ),
  owedTotals: owedSums(
    `SELECT account_id, text_missing AS missing, debt_owed AS owed FROM audit_account UNION ALL ${sinceCheckpoint.owed}`,
  ),
  leaseTotals: leaseSums(
    `SELECT lease_id, account_id, is_mixed, held FROM audit_lease UNION ALL ${sinceCheckpoint.leases}`,
  ),
  textUsage: `(SELECT account_id, cost_nano FROM usage_record WHERE serial > {usage_record}::bigint)`,
});

/** The rows themselves, whatever any checkpoint says: a slice of ids from `{after}` to `{upTo}`. */
export function slicedReads(scope: Scope): Reads {
  const within = (column: string): string =>
    `${column} > {after}::${idTypes[scope]} AND ({upTo}::${idTypes[scope]} IS NULL OR ${column} <= {upTo}::${idTypes[scope]})`;
  const accounts = within('account_id');
  return {
    within,
    entryTotals: entrySums(
      `SELECT ${entryColumns} FROM ledger_entry WHERE ${accounts} UNION ALL ${carried} AND ${accounts}`,
    ),
    usageTotals: usageSums(
      `SELECT account_id, cost_nano AS cost FROM usage_record WHERE ${accounts} UNION ALL ${rolledUp} AND ${accounts}`,
    ),
    owedTotals: owedSums(`SELECT ${owedColumns} FROM usage_uncollected WHERE ${accounts}`),
    leaseTotals: leaseSums(
      `SELECT ${leaseColumns} FROM ledger_entry WHERE lease_id IS NOT NULL AND ${accounts} UNION ALL ${carriedLeases} AND ${accounts}`,
    ),
    textUsage: `(SELECT account_id, cost_nano FROM usage_record WHERE ${accounts})`,
  };
}

/**
 * The same, where the last closing of each account stands for the entries up to it. Entries of a lease
 * may lie on both sides of a closing: `leaseTotals` are of all.
 */
export const readsSinceClosing = (scope: Scope): Reads => {
  const reads = slicedReads(scope);
  const closed = `(SELECT * FROM ledger_closing c WHERE c.account_id = a.id ORDER BY c.month DESC LIMIT 1)`;
  const rows = `
    SELECT account_id, balance, held, text_charged, debt_paid FROM account a, LATERAL ${closed} c WHERE ${reads.within('a.id')}
    UNION ALL SELECT entry.* FROM account a LEFT JOIN LATERAL ${closed} c ON true,
      LATERAL (SELECT ${entryColumns} FROM ledger_entry WHERE account_id = a.id AND id > coalesce(c.last_entry_id, -1)) entry WHERE ${reads.within('a.id')}`;
  return { ...reads, entryTotals: entrySums(rows) };
};

/** Sums of one step of the watermark, for the checkpoints. */
export const stepSums = {
  entrySums,
  usageSums,
  owedSums,
  leaseSums,
  entryColumns,
  owedColumns,
  leaseColumns,
  carried,
  carriedLeases,
  rolledUp,
} as const;
