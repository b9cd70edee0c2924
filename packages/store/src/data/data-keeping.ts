// SQL by hand: functions of the database that move rows and drop partitions, and sums of the ledger.
import type { Database } from '../database/database.ts';
import { balanceStep, heldStep } from '../audit/invariants/invariant.ts';

/** How far a partitioned table is prepared. */
export interface PartitionState {
  readonly table: string;
  /** Unix time in seconds: the beginning of the first month from now on that has no partition. */
  readonly until: number;
  /** Rows that came without a partition of their month. */
  readonly hasStrays: boolean;
}

/** A table with all its partitions. */
export interface TableSize {
  readonly table: string;
  readonly partitions: number;
  /** As the planner estimates. */
  readonly rows: number;
  /** With its indexes. */
  readonly bytes: number;
}

/** What keeps the tables from growing for ever. Any number of replicas may call it at once. */
export interface DataKeeping {
  /** Makes the partitions of this month and of `monthsAhead` more; returns how many were missing. */
  makePartitions(monthsAhead: number): Promise<number>;
  /**
   * Moves at most `limit` tasks into the archive that have been over for `days` days (7 at least) and
   * are settled, with all that belongs to them. Returns how many; 0 also while another replica does it.
   */
  archiveTasks(options: { readonly days: number; readonly limit: number }): Promise<number>;
  /** The same with the bills of tasks that their customers deleted. */
  archiveDeletedTasks(options: { readonly days: number; readonly limit: number }): Promise<number>;
  /**
   * Replaces at most `limit` exposures that are older than `days` days (90 at least), and whose tasks
   * are gone from the archive too, by sums by day. Returns how many.
   */
  rollUpExposures(options: { readonly days: number; readonly limit: number }): Promise<number>;
  /**
   * Replaces at most `limit` rows about text that nobody paid, of months that were over `days` days
   * ago (31 at least), by sums by month. Returns how many.
   */
  sumUpUncollected(options: { readonly days: number; readonly limit: number }): Promise<number>;
  /**
   * Replaces the oldest month of single usage records by sums by day when all of it is older than
   * `days` days (31 at least). Returns the partition that was dropped; undefined when there is none.
   */
  rollUpUsage(days: number): Promise<string | undefined>;
  /**
   * Drops the oldest month of the archive when all of it was over `days` days ago (90 at least), once
   * its bills are in the sums by day. Returns the partition; undefined when there is none.
   */
  dropArchive(days: number): Promise<string | undefined>;
  /**
   * Drops the oldest month of the ledger when it was over `days` days ago (400 at least), is closed, and
   * its tasks are in the archive; its sums are carried on. Returns the partition; undefined when there is
   * none. Rejects when a closing does not agree with the entries.
   */
  dropLedger(days: number): Promise<string | undefined>;
  /**
   * Closes the oldest month of the ledger that is open and was over a day ago: the sums of each
   * account's entries. Returns its first day; undefined when there is none.
   */
  closeLedger(): Promise<string | undefined>;
  partitions(): Promise<PartitionState[]>;
  /** What the tables weigh that grow with history, heaviest first. */
  sizes(): Promise<TableSize[]>;
}

const ago = (days: string): string => `now() - make_interval(days => ${days})`;

/** In months of UTC. Every statement of a day ago is over. */
const openMonthSql = `
  SELECT month::text FROM (
    SELECT coalesce(
      (SELECT month + interval '1 month' FROM ledger_month ORDER BY month DESC LIMIT 1),
      (SELECT date_trunc('month', created_at AT TIME ZONE 'UTC') FROM ledger_entry ORDER BY id LIMIT 1))::date AS month) open
  WHERE ((month + interval '1 month') AT TIME ZONE 'UTC') <= now() - interval '1 day'`;

/**
 * $1 month, $2 behind this account, $3 accounts. Entries of an account are numbered in the order in
 * which they move it, so a closing ends before the first that was made in the next month.
 */
const closeSql = `
  WITH page AS (SELECT id FROM account WHERE id > $2 ORDER BY id LIMIT $3),
  closed AS (
    INSERT INTO ledger_closing (account_id, month, last_entry_id, entries, balance, held, text_charged, debt_paid)
    SELECT a.id, $1::date, s.last, coalesce(p.entries, 0) + s.entries, coalesce(p.balance, 0) + s.balance, coalesce(p.held, 0) + s.held,
      coalesce(p.text_charged, 0) + s.text_charged, coalesce(p.debt_paid, 0) + s.debt_paid
    FROM page a
    LEFT JOIN LATERAL (SELECT * FROM ledger_closing c WHERE c.account_id = a.id ORDER BY c.month DESC LIMIT 1) p ON true
    LEFT JOIN LATERAL (
      SELECT e.id FROM ledger_entry e WHERE e.account_id = a.id AND e.id > coalesce(p.last_entry_id, -1)
        AND e.created_at >= (($1::date + interval '1 month') AT TIME ZONE 'UTC') ORDER BY e.id LIMIT 1) next ON true
    CROSS JOIN LATERAL (
      SELECT max(e.id) AS last, count(*) AS entries, sum(${balanceStep}) AS balance, sum(${heldStep}) AS held,
        sum(quota) FILTER (WHERE kind = 'charge' AND task_id IS NULL) AS charged, sum(quota) FILTER (WHERE kind = 'debt') AS paid
      FROM ledger_entry e WHERE e.account_id = a.id AND e.id > coalesce(p.last_entry_id, -1) AND (next.id IS NULL OR e.id < next.id)) sums
    CROSS JOIN LATERAL (SELECT sums.last, sums.entries, sums.balance, sums.held, coalesce(sums.charged, 0) AS text_charged, coalesce(sums.paid, 0) AS debt_paid) s
    WHERE s.entries > 0 AND (p.month IS NULL OR p.month < $1::date)
    ON CONFLICT (account_id, month) DO NOTHING)
  SELECT max(id) AS last, count(*)::int AS accounts FROM page`;
const accountsAtOnce = 200;

const partitionsSql = `
  SELECT parent.name AS table,
    (SELECT extract(epoch FROM min(m.month) AT TIME ZONE 'UTC') FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'), now() AT TIME ZONE 'UTC' + interval '3 years', interval '1 month') m(month)
     WHERE NOT EXISTS (
       SELECT 1 FROM data_partition p WHERE p.parent = parent.name AND p.dropped_at IS NULL AND to_regclass(quote_ident(p.name)) IS NOT NULL
         AND p.from_at <= m.month AT TIME ZONE 'UTC' AND p.until_at > m.month AT TIME ZONE 'UTC'))::float8 AS until,
    CASE parent.name WHEN 'usage_record' THEN EXISTS (SELECT 1 FROM usage_record_default) WHEN 'ledger_entry' THEN EXISTS (SELECT 1 FROM ledger_entry_default)
      ELSE EXISTS (SELECT 1 FROM archived_task_default) END AS "hasStrays"
  FROM (VALUES ('archived_task'), ('ledger_entry'), ('usage_record')) parent(name)`;

const sizesSql = `
  SELECT t.name AS table, count(*) FILTER (WHERE c.relispartition)::int AS partitions, sum(greatest(c.reltuples, 0))::float8 AS rows, sum(pg_total_relation_size(c.oid))::float8 AS bytes
  FROM unnest($1::text[]) t(name), LATERAL (SELECT to_regclass(t.name) AS oid UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass(t.name)) part
  JOIN pg_class c ON c.oid = part.oid
  GROUP BY t.name ORDER BY bytes DESC, t.name`;
const grownTables = [
  ...['task', 'hold', 'task_event', 'task_try', 'media', 'callback', 'callback_push'],
  ...['callback_attempt', 'endpoint_callback', 'endpoint_push', 'endpoint_attempt'],
  ...['ledger_entry', 'usage_record', 'usage_day', 'archived_task'],
  ...['deleted_task', 'exposure', 'exposure_day', 'usage_uncollected', 'ledger_closing'],
];

export function createDataKeeping({ pool }: Pick<Database, 'pool'>): DataKeeping {
  const call = async <Value>(expression: string, values: readonly number[]): Promise<Value> => {
    const { rows } = await pool.query<{ value: Value }>(`SELECT ${expression} AS value`, [
      ...values,
    ]);
    return rows[0]?.value as Value;
  };
  return {
    makePartitions: (monthsAhead) => call<number>('make_partitions($1)', [monthsAhead]),
    archiveTasks: ({ days, limit }) =>
      call<number>(`archive_tasks(${ago('$1')}, $2)`, [days, limit]),
    archiveDeletedTasks: ({ days, limit }) =>
      call<number>(`archive_deleted_tasks(${ago('$1')}, $2)`, [days, limit]),
    rollUpExposures: ({ days, limit }) =>
      call<number>(`roll_up_exposures(${ago('$1')}, $2)`, [days, limit]),
    sumUpUncollected: ({ days, limit }) =>
      call<number>(`sum_up_uncollected(${ago('$1')}, $2)`, [days, limit]),
    rollUpUsage: async (days) =>
      (await call<string | null>(`roll_up_usage(${ago('$1')})`, [days])) ?? undefined,
    dropArchive: async (days) =>
      (await call<string | null>(`drop_archive(${ago('$1')})`, [days])) ?? undefined,
    dropLedger: async (days) =>
      (await call<string | null>(`drop_ledger(${ago('$1')})`, [days])) ?? undefined,
    closeLedger: () => closeLedger(pool),
    async sizes() {
      return (await pool.query<TableSize>(sizesSql, [grownTables])).rows;
    },
    async partitions() {
      return (await pool.query<PartitionState>(partitionsSql)).rows;
    },
  };
}

/** A kill in between leaves accounts that are closed; the next call finds them so and closes the rest. */
async function closeLedger(pool: Database['pool']): Promise<string | undefined> {
  const { rows } = await pool.query<{ month: string }>(openMonthSql);
  const month = rows[0]?.month;
  if (month === undefined) return undefined;
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: { rows: { last: string; accounts: number }[] } = await pool.query(closeSql, [
      month,
      after,
      accountsAtOnce,
    ]);
    const [found] = page.rows;
    after = found === undefined || found.accounts < accountsAtOnce ? undefined : found.last;
  }
  await pool.query('INSERT INTO ledger_month (month) VALUES ($1) ON CONFLICT DO NOTHING', [month]);
  return month;
}
