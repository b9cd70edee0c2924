/**
 * Where the rows of one check come from. The running audit reads what was written since it last
 * looked, beside its checkpoints; the full audit reads slices of everything.
 */
export interface Reads {
  /** The condition that this column, of the scope's ids, is among those to be checked. */
  within(column: string): string;
  /** By account: sums of its entries, `balance`, `held`, `text_charged`, `debt_paid`. */
  readonly entryTotals: string;
  /** By account: what its text cost, `cost`. */
  readonly usageTotals: string;
  /** By account: what its text cost and it did not have, `missing`, and what of that it `owed`. */
  readonly owedTotals: string;
  /** By lease: `account_id`, `is_mixed` when several accounts paid into it, and what is `held`. */
  readonly leaseTotals: string;
  /** Records of text usage: `account_id`, `cost_nano`. */
  readonly textUsage: string;
}

/**
 * What a check looks at. `tasks`, `accounts`, `entries`: rows by the id of a task, an account or an
 * entry. `live`: what is under way, found by partial indexes however much is over; checked whole.
 * `archive` and `closings`: archived tasks, and accounts whose months are closed; nothing changes them,
 * so only the full audit looks.
 */
export type Scope = 'tasks' | 'accounts' | 'entries' | 'live' | 'archive' | 'closings';

/** Of the full audit alone. */
export const isAtRest = (scope: Scope | undefined): boolean =>
  scope === 'archive' || scope === 'closings';

/**
 * A query that must return no row: `subject` and `detail` of what breaks it, and the `key` to look at
 * it again where that is not the subject. `{grace}` is the time in seconds that work in flight is
 * given.
 */
export interface Invariant {
  readonly scope: Scope;
  readonly sql: (reads: Reads) => string;
}

export const text = (value: string): string => `'${value}'`;
export const listOf = (values: readonly string[]): string => values.map(text).join(', ');

/** What an entry adds to its account's balance and to what is held of it. */
export const balanceStep = `CASE WHEN debit LIKE 'operator:%' THEN quota WHEN credit LIKE 'operator:%' THEN -quota ELSE 0 END`;
export const heldStep = `CASE WHEN credit = 'held' THEN quota WHEN debit = 'held' THEN -quota ELSE 0 END`;

/** When the last entry was written whose month was dropped. */
export const lastDroppedEntry = `(SELECT max(last_at) FROM data_partition WHERE parent = 'ledger_entry' AND dropped_at IS NOT NULL)`;
/** When a month of the ledger was last dropped: entries of before were audited then. */
export const lastLedgerDrop = `(SELECT max(dropped_at) FROM data_partition WHERE parent = 'ledger_entry' AND dropped_at IS NOT NULL)`;

/** In the words of a partial index: there may be something to do at the vendor, also after expiry. */
export const isOnItsWay = `step <> 'done' AND NOT (step = 'submit' AND admitted_at IS NULL)`;

/**
 * Tasks that are not over, in words that two partial indexes have: however many are over, they are
 * not read.
 */
export const liveTasks = `(
  SELECT * FROM task WHERE step = 'submit' AND admitted_at IS NULL AND completed_at IS NULL
  UNION ALL SELECT * FROM task WHERE ${isOnItsWay} AND completed_at IS NULL)`;
