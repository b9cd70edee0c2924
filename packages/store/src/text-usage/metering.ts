// SQL by hand: money. A batch is taken, recorded and charged in one statement.
import type { UsageRecord } from '@gateway/contracts';
import type { Database } from '../database/database.ts';

/** What taking a batch did. */
export interface AppliedBatch {
  /** Records that were new; one that came before is neither stored nor charged again. */
  readonly records: number;
  readonly chargedQuota: number;
  /** Whole units that accounts did not have. */
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
} as const satisfies Record<keyof UsageRecord, string>;

const names = Object.keys(columns).join(', ');
const typed = Object.entries(columns)
  .map(([column, type]) => `${column} ${type}`)
  .join(', ');

/**
 * Whoever deletes the batch's row takes it; a second caller waits and finds nothing. Only records
 * that the INSERT returns are charged, so a record that came in two batches costs once. Locks are
 * taken in one order everywhere: batch, records by id, balances by account. Whole units are charged
 * up to what is available, read from the locked row, and the UPDATE writes from that row:
 * PostgreSQL checks constraints on the row as the statement's snapshot saw it before it turns to a
 * newer one.
 */
const applySql = `
  WITH batch AS (DELETE FROM usage_batch WHERE id = $1 RETURNING id, records),
  inserted AS (
    INSERT INTO usage_record (batch_id, ${names})
    SELECT b.id, r.* FROM batch b, jsonb_to_recordset(b.records) AS r(${typed}) ORDER BY r.id
    ON CONFLICT (id) DO NOTHING
    RETURNING account_id, cost_nano),
  sums AS (SELECT account_id, sum(cost_nano) AS cost FROM inserted GROUP BY account_id HAVING sum(cost_nano) > 0),
  locked AS (
    SELECT b.account_id, b.balance, b.held, b.text_remainder_nano + s.cost AS owed
    FROM balance b JOIN sums s USING (account_id) ORDER BY b.account_id FOR UPDATE OF b),
  due AS (SELECT *, div(owed, 1000000000) AS whole, least(div(owed, 1000000000), balance - held)::bigint AS charged FROM locked),
  moved AS (
    UPDATE balance b SET balance = d.balance - d.charged, held = d.held, text_remainder_nano = (d.owed - d.whole * 1000000000)::bigint
    FROM due d WHERE b.account_id = d.account_id
    RETURNING b.account_id, b.balance, b.held),
  entries AS (
    INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after, note)
    SELECT m.account_id, 'charge', d.charged, 'available', 'operator:revenue', m.balance, m.held, 'text usage ' || $1
    FROM moved m JOIN due d USING (account_id) WHERE d.charged > 0),
  uncollected AS (
    INSERT INTO usage_uncollected (batch_id, account_id, quota) SELECT $1, account_id, (whole - charged)::bigint FROM due WHERE whole > charged)
  SELECT (SELECT count(*) FROM batch) AS batches, (SELECT count(*) FROM inserted) AS records,
    coalesce(sum(charged), 0)::bigint AS charged, coalesce(sum(whole - charged), 0)::bigint AS uncollected FROM due`;

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
