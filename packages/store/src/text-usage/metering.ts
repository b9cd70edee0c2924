// SQL by hand: money. A batch is taken, recorded and charged in one statement.
import type { UsageRecord } from '@gateway/contracts';
import type { Database } from '../database/database.ts';

/** What taking a batch did. */
export interface AppliedBatch {
  /** Records that were new; one that came before is neither stored nor charged again. */
  readonly records: number;
  readonly chargedQuota: number;
  /** Whole units that accounts did not have, and owe from now on. */
  readonly uncollectedQuota: number;
}

/** Billing's side of metering. */
export interface Metering {
  /**
   * Takes a batch from the outbox, stores its records and charges for them, all or nothing.
   * Undefined when there is no such batch (any more).
   */
  apply(batchId: string): Promise<AppliedBatch | undefined>;
  /** Ids of batches in the outbox, oldest first. */
  findUnapplied(limit: number): Promise<string[]>;
}

const columns = {
  id: 'text',
  account_id: 'text',
  key_id: 'text',
  request_id: 'text',
  model: 'text',
  provider: 'text',
  upstream_model: 'text',
  dialect: 'text',
  upstream_dialect: 'text',
  stream: 'boolean',
  outcome: 'text',
  status: 'int',
  input_tokens: 'bigint',
  cached_input_tokens: 'bigint',
  cache_write_tokens: 'bigint',
  output_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  estimated: 'boolean',
  cost_nano: 'numeric',
  started_at: 'timestamptz',
  duration_ms: 'int',
  first_byte_ms: 'int',
  cache_write_1h_tokens: 'bigint',
  server_tool_uses: 'bigint',
  service_tier: 'text',
} as const satisfies Record<Exclude<keyof UsageRecord, 'lease_id'>, string>;

const names = Object.keys(columns).join(', ');
const typed = Object.entries(columns)
  .map(([column, type]) => `${column} ${type}`)
  .join(', ');

/**
 * Whoever deletes the batch's row takes it; a second caller waits and finds nothing. Only records
 * that the INSERT returns are charged, so a record that came in two batches costs once. Locks are
 * taken in one order everywhere: batch, records by id, balances by account; leases are only written
 * under the lock of their balance. A lease pays first for what was reserved against it. What it
 * cannot pay, and what has no open lease, is charged in whole units up to what is available, read
 * from the locked row; the rest is the account's debt. The UPDATE writes from that row: PostgreSQL
 * checks constraints on the row as the statement's snapshot saw it before it turns to a newer one.
 * Leases are looked up one by one, in a subquery that cannot become a join: a join's result is taken
 * for one row, and what follows compares each lease of a batch with each of its accounts.
 */
const applySql = `
  WITH batch AS (DELETE FROM usage_batch WHERE id = $1 RETURNING id, records),
  sent AS (SELECT b.id AS batch_id, r.* FROM batch b, jsonb_to_recordset(b.records) AS r(${typed}, lease_id text)),
  inserted AS (
    INSERT INTO usage_record (batch_id, ${names}) SELECT batch_id, ${names} FROM sent ORDER BY id
    ON CONFLICT (id) DO NOTHING
    RETURNING id, account_id, cost_nano),
  costs AS (
    SELECT i.account_id, s.lease_id, sum(i.cost_nano) AS cost
    FROM inserted i JOIN (SELECT DISTINCT ON (id) id, lease_id FROM sent ORDER BY id) s USING (id) WHERE i.cost_nano > 0 GROUP BY i.account_id, s.lease_id),
  locked AS (
    SELECT b.account_id, b.balance, b.held, b.text_remainder_nano AS remainder, b.debt_quota AS debt
    FROM balance b WHERE b.account_id IN (SELECT account_id FROM costs) ORDER BY b.account_id FOR UPDATE),
  leases AS (
    SELECT l.id, l.account_id, l.held_quota, l.applied_nano, c.cost, l.remainder_nano + c.cost AS owed
    FROM locked k JOIN costs c ON c.account_id = k.account_id CROSS JOIN LATERAL (
      SELECT * FROM text_lease t WHERE t.id = c.lease_id AND t.account_id = k.account_id AND t.state = 'open' FOR UPDATE) l),
  drawn AS (
    SELECT id, account_id, held_quota, applied_nano + cost AS applied, least(div(owed, 1000000000), held_quota)::bigint AS charged,
      CASE WHEN owed <= held_quota * 1000000000::numeric THEN mod(owed, 1000000000) ELSE 0 END::bigint AS remainder,
      greatest(owed - held_quota * 1000000000::numeric, 0) AS beyond FROM leases),
  leases_moved AS (
    UPDATE text_lease l SET held_quota = d.held_quota - d.charged, remainder_nano = d.remainder, applied_nano = d.applied FROM drawn d WHERE l.id = d.id),
  shares AS (
    SELECT account_id, sum(charged)::bigint AS from_leases, sum(owed) AS owed FROM (
      SELECT account_id, charged, beyond AS owed FROM drawn
      UNION ALL
      SELECT c.account_id, 0, c.cost FROM costs c LEFT JOIN drawn d ON d.id = c.lease_id AND d.account_id = c.account_id WHERE d.id IS NULL) s
    GROUP BY account_id),
  owing AS (SELECT k.*, s.from_leases, k.remainder + s.owed AS owed FROM locked k JOIN shares s USING (account_id)),
  due AS (SELECT *, div(owed, 1000000000)::bigint AS whole, least(div(owed, 1000000000), balance - held)::bigint AS charged FROM owing),
  moved AS (
    UPDATE balance b SET balance = d.balance - d.from_leases - d.charged, held = d.held - d.from_leases,
      text_remainder_nano = (d.owed - d.whole * 1000000000::numeric)::bigint, debt_quota = d.debt + d.whole - d.charged
    FROM due d WHERE b.account_id = d.account_id),
  steps AS (
    SELECT account_id, id AS lease_id, charged, charged AS from_held, 'held' AS debit FROM drawn WHERE charged > 0
    UNION ALL
    SELECT account_id, NULL, charged, 0, 'available' FROM due WHERE charged > 0),
  summed AS (SELECT *, sum(charged) OVER w AS run, sum(from_held) OVER w AS run_held FROM steps WINDOW w AS (PARTITION BY account_id ORDER BY lease_id)),
  entries AS (
    INSERT INTO ledger_entry (account_id, lease_id, kind, quota, debit, credit, balance_after, held_after, note)
    SELECT s.account_id, s.lease_id, 'charge', s.charged, s.debit, 'operator:revenue', d.balance - s.run, d.held - s.run_held, 'text usage ' || $1
    FROM summed s JOIN due d USING (account_id) ORDER BY s.account_id, s.lease_id),
  uncollected AS (
    INSERT INTO usage_uncollected (batch_id, account_id, quota, is_debt) SELECT $1, account_id, whole - charged, true FROM due WHERE whole > charged)
  SELECT (SELECT count(*) FROM batch) AS batches, (SELECT count(*) FROM inserted) AS records,
    coalesce(sum(from_leases + charged), 0)::bigint AS charged, coalesce(sum(whole - charged), 0)::bigint AS uncollected FROM due`;

/** An account that was never topped up has no row yet to keep its remainder in. */
const openBalancesSql = `
  INSERT INTO balance (account_id)
  SELECT DISTINCT r.account_id FROM usage_batch b, jsonb_to_recordset(b.records) AS r(account_id text)
  WHERE b.id = $1 AND NOT EXISTS (SELECT 1 FROM balance known WHERE known.account_id = r.account_id) ORDER BY r.account_id
  ON CONFLICT DO NOTHING`;

export function createMetering({ pool }: Database): Metering {
  return {
    async apply(batchId) {
      await pool.query({ name: 'open-balances', text: openBalancesSql, values: [batchId] });
      const {
        rows: [row],
      } = await pool.query<{
        batches: number;
        records: number;
        charged: number;
        uncollected: number;
      }>({ name: 'apply-usage', text: applySql, values: [batchId] });
      if (row?.batches !== 1) return undefined;
      return { records: row.records, chargedQuota: row.charged, uncollectedQuota: row.uncollected };
    },
    async findUnapplied(limit) {
      const { rows } = await pool.query<{ id: string }>(
        'SELECT id FROM usage_batch ORDER BY created_at, id LIMIT $1',
        [limit],
      );
      return rows.map((row) => row.id);
    },
  };
}
