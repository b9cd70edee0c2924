// SQL by hand: money. The watermark and the sums up to it are one statement.
import { inTransaction, type Database } from '../database/database.ts';
import { isUnopened, laterOf, positionsOf, type Positions } from './positions.ts';
import { stepSums } from './reads.ts';
import { run } from './statement.ts';

const { entryColumns, owedColumns, leaseColumns, leaseSums, carried, carriedLeases, rolledUp } =
  stepSums;

/** The most entries that one statement adds to the checkpoints. */
const mostEntries = 500_000;
/** For the first statement of an installation that has a past: it reads all usage there is. */
const openingTimeoutMs = 30 * 60_000;

/**
 * How far the tables are now, and the first transaction that has not begun. Rows are numbered before
 * they are committed, so a row may appear late, behind numbers that were seen. It belongs to a
 * transaction that had begun when the mark was set: once all of those are over, nothing can appear
 * below the mark.
 */
const markSql = `
  INSERT INTO audit_mark (next_transaction, positions)
  SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint, jsonb_build_object(
    'ledger_entry', coalesce((SELECT max(id) FROM ledger_entry), -1), 'exposure', coalesce((SELECT max(id) FROM exposure), -1),
    'task_event', coalesce((SELECT max(serial) FROM task_event), -1), 'callback_attempt', coalesce((SELECT max(serial) FROM callback_attempt), -1),
    'usage_record', coalesce((SELECT max(serial) FROM usage_record), -1), 'usage_uncollected', coalesce((SELECT max(serial) FROM usage_uncollected), -1),
    'deleted_task', coalesce((SELECT max(serial) FROM deleted_task), -1), 'media', (extract(epoch FROM now()) * 1000)::bigint)`;

/**
 * The newest mark that is settled. The time beside the transactions covers the instant in which a
 * number is drawn and its transaction has none yet, and gives checks that wait for their grace one
 * more look. Purges have no number, only the time at which their statement began.
 */
const settledSql = `
  SELECT id, jsonb_set(positions, ARRAY['media'], to_jsonb((positions ->> 'media')::bigint - 60000)) AS positions FROM audit_mark
  WHERE next_transaction <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint AND at <= now() - make_interval(secs => {settle}::float8)
  ORDER BY id DESC LIMIT 1`;

/** Older marks, and those of the server that the database was restored from, whose transactions were numbered otherwise. */
const forgetSql = `DELETE FROM audit_mark WHERE id < {id}::bigint OR next_transaction > pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/** Entries that were a minute old are settled: no statement lasts so long. The other tables begin with their first number. */
const openingSql = `
  SELECT jsonb_build_object(
    'ledger_entry', coalesce((SELECT id FROM ledger_entry WHERE created_at < now() - interval '1 minute' ORDER BY id DESC LIMIT 1), -1),
    'exposure', coalesce((SELECT id FROM exposure WHERE created_at < now() - interval '1 minute' ORDER BY id DESC LIMIT 1), -1),
    'task_event', 0, 'callback_attempt', 0, 'usage_record', 0, 'usage_uncollected', 0, 'deleted_task', 0,
    'media', (extract(epoch FROM now()) * 1000)::bigint - 60000) AS positions`;

const step = (table: string, serial: string): string =>
  `${serial} > {from_${table}}::bigint AND ${serial} <= {to_${table}}::bigint`;
/** Rows without a number are from before there were numbers. */
const stepWithUnnumbered = (table: string): string =>
  `(({opening}::boolean AND serial IS NULL) OR (${step(table, 'serial')}))`;

/** Whoever moves the watermark adds what lies between: a second caller finds it moved, and adds nothing. */
const foldSql = `
  WITH moved AS (UPDATE audit_watermark SET positions = {to}::jsonb WHERE positions = {from}::jsonb AND claim = {claim} RETURNING true AS moved),
  sums AS (
    SELECT account_id, sum(balance) AS balance, sum(held) AS held, sum(text_charged) AS text_charged, sum(debt_paid) AS debt_paid, sum(missing) AS missing, sum(owed) AS owed, sum(cost) AS cost
    FROM (
      SELECT *, 0::bigint AS missing, 0::bigint AS owed, 0::numeric AS cost FROM (SELECT ${entryColumns} FROM ledger_entry WHERE ${step('ledger_entry', 'id')}) e
      UNION ALL SELECT account_id, balance, held, text_charged, debt_paid, 0, 0, 0 FROM (${carried}) c WHERE {opening}::boolean
      UNION ALL SELECT account_id, 0, 0, 0, 0, missing, owed, 0 FROM (SELECT ${owedColumns} FROM usage_uncollected WHERE ${stepWithUnnumbered('usage_uncollected')}) m
      UNION ALL SELECT account_id, 0, 0, 0, 0, 0, 0, cost_nano FROM usage_record WHERE ${stepWithUnnumbered('usage_record')}
      UNION ALL SELECT account_id, 0, 0, 0, 0, 0, 0, cost FROM (${rolledUp}) r WHERE {opening}::boolean) parts
    GROUP BY account_id),
  accounts AS (
    INSERT INTO audit_account AS a (account_id, balance, held, text_charged, debt_paid, text_missing, debt_owed, text_cost_nano)
    SELECT account_id, balance, held, text_charged, debt_paid, missing, owed, cost FROM sums, moved
    ON CONFLICT (account_id) DO UPDATE SET balance = a.balance + excluded.balance, held = a.held + excluded.held,
      text_charged = a.text_charged + excluded.text_charged, debt_paid = a.debt_paid + excluded.debt_paid, text_missing = a.text_missing + excluded.text_missing,
      debt_owed = a.debt_owed + excluded.debt_owed, text_cost_nano = a.text_cost_nano + excluded.text_cost_nano),
  leases AS (
    INSERT INTO audit_lease AS l (lease_id, account_id, is_mixed, held)
    SELECT lease_id, account_id, is_mixed, held
    FROM ${leaseSums(`SELECT ${leaseColumns} FROM ledger_entry WHERE lease_id IS NOT NULL AND ${step('ledger_entry', 'id')} UNION ALL ${carriedLeases} AND {opening}::boolean`)} s, moved
    ON CONFLICT (lease_id) DO UPDATE SET held = l.held + excluded.held, is_mixed = l.is_mixed OR excluded.is_mixed OR l.account_id <> excluded.account_id),
  exposures AS (
    INSERT INTO audit_exposure AS x (kind, count) SELECT kind, count(*) FROM exposure, moved WHERE ${step('exposure', 'id')} GROUP BY kind
    ON CONFLICT (kind) DO UPDATE SET count = x.count + excluded.count)
  SELECT moved FROM moved`;

/** A lease that is over has as many entries in as out. */
const forgetLeasesSql = 'DELETE FROM audit_lease WHERE held = 0 AND NOT is_mixed';

export interface Checkpoint {
  /** The watermark from now on. */
  readonly positions: Positions;
  /** Up to where nothing can appear any more; behind it, rows are looked at again. */
  readonly settled: Positions;
}

interface Folding {
  readonly pool: Database['pool'];
  readonly claim: string;
}

/**
 * Moves the watermark and the checkpoints to the newest settled mark, in steps that each are one
 * statement: a kill between two of them leaves a watermark with exactly its sums. Throws when
 * another replica holds the claim by now.
 */
export async function advanceCheckpoint(
  folding: Folding,
  stored: Partial<Positions>,
  settleSeconds: number,
): Promise<Checkpoint> {
  const { pool } = folding;
  await run(pool, markSql);
  const target = await targetOf(pool, stored, settleSeconds);
  let from = stored;
  while (!isReached(from, target)) {
    const to = await stepTowards(pool, positionsOf(from), target);
    await fold(folding, from, to);
    from = to;
  }
  await run(pool, forgetLeasesSql);
  return { positions: positionsOf(from), settled: target };
}

async function targetOf(
  pool: Database['pool'],
  stored: Partial<Positions>,
  settleSeconds: number,
): Promise<Positions> {
  if (isUnopened(stored)) {
    const { rows } = await run<{ positions: Positions }>(pool, openingSql);
    return positionsOf(rows[0]?.positions ?? {});
  }
  const { rows } = await run<{ id: number; positions: Positions }>(pool, settledSql, {
    settle: settleSeconds,
  });
  await run(pool, forgetSql, { id: rows[0]?.id ?? 0 });
  // A table whose newest rows have left it is no further back for that.
  return laterOf(positionsOf(stored), positionsOf(rows[0]?.positions ?? stored));
}

const isReached = (from: Partial<Positions>, target: Positions): boolean =>
  !isUnopened(from) &&
  Object.entries(target).every(([table, at]) => positionsOf(from)[table as keyof Positions] >= at);

/** Entries are counted, not their numbers, which begin anew at a much higher one with each month. */
const stepSql = `
  SELECT id FROM ledger_entry WHERE id > {from}::bigint AND id <= {target}::bigint ORDER BY id OFFSET ${mostEntries} - 1 LIMIT 1`;

async function stepTowards(
  pool: Database['pool'],
  from: Positions,
  target: Positions,
): Promise<Positions> {
  if (target.ledger_entry - from.ledger_entry <= mostEntries) return target;
  const { rows } = await run<{ id: number }>(pool, stepSql, {
    from: from.ledger_entry,
    target: target.ledger_entry,
  });
  return { ...target, ledger_entry: rows[0]?.id ?? target.ledger_entry };
}

async function fold(
  { pool, claim }: Folding,
  from: Partial<Positions>,
  to: Positions,
): Promise<void> {
  const opening = isUnopened(from);
  const values = {
    from: JSON.stringify(from),
    to: JSON.stringify(to),
    claim,
    opening,
    ...named('from', positionsOf(from)),
    ...named('to', to),
  };
  const rows = opening
    ? await inTransaction(pool, async (client) => {
        await client.query(`SET LOCAL statement_timeout = ${openingTimeoutMs}`);
        return (await run(client, foldSql, values)).rows;
      })
    : (await run(pool, foldSql, values)).rows;
  if (rows.length === 0) throw new Error('another replica moves the watermark of the audit');
}

const named = (prefix: string, positions: Positions): Record<string, number> =>
  Object.fromEntries(Object.entries(positions).map(([table, at]) => [`${prefix}_${table}`, at]));
