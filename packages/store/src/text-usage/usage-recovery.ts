// SQL by hand: what was abandoned is taken with SKIP LOCKED and saved in the same statement.
import type { Database } from '../database/database.ts';

/** Billing's side of usage whose replica is gone. */
export interface UsageRecovery {
  /**
   * Moves open usage of replicas whose lease is older than `leaseSeconds` into the outbox, as the
   * batch `batchId`; at most `limit` records, those with the lowest ids first. Returns how many it
   * moved; 0 means there is no such batch and nothing is left.
   */
  recover(options: { batchId: string; leaseSeconds: number; limit: number }): Promise<number>;
  /**
   * Forgets replicas that are gone and have neither open usage nor an open lease, and open usage
   * that is in the books already.
   */
  purge(leaseSeconds: number): Promise<void>;
}

/**
 * A row that is being written belongs to a living replica, one that is being deleted to somebody
 * else.
 */
const recoverSql = `
  WITH abandoned AS (
    SELECT o.id FROM usage_open o
    WHERE NOT EXISTS (SELECT 1 FROM usage_lease l WHERE l.replica = o.replica AND l.renewed_at >= now() - make_interval(secs => $2))
      AND NOT EXISTS (SELECT 1 FROM usage_record r WHERE r.id = o.id)
    ORDER BY o.id LIMIT $3 FOR UPDATE OF o SKIP LOCKED),
  taken AS (DELETE FROM usage_open o USING abandoned a WHERE o.id = a.id RETURNING o.id, o.record),
  saved AS (INSERT INTO usage_batch (id, records) SELECT $1, jsonb_agg(record ORDER BY id) FROM taken HAVING count(*) > 0)
  SELECT count(*) AS records FROM taken`;

/** A write whose response was lost can arrive after the final record: it adds nothing. */
const purgeRowsSql = `
  DELETE FROM usage_open WHERE id IN (
    SELECT o.id FROM usage_open o WHERE EXISTS (SELECT 1 FROM usage_record r WHERE r.id = o.id) ORDER BY o.id FOR UPDATE OF o SKIP LOCKED)`;

/**
 * A replica's leases are taken back after its usage was charged to them. Until then the audit reads
 * here how long they have been nobody's: without this row they would look like years.
 */
const purgeLeasesSql = `
  DELETE FROM usage_lease l
  WHERE l.renewed_at < now() - make_interval(secs => $1)
    AND NOT EXISTS (SELECT 1 FROM usage_open o WHERE o.replica = l.replica)
    AND NOT EXISTS (SELECT 1 FROM text_lease t WHERE t.replica = l.replica AND t.state = 'open')`;

export function createUsageRecovery({ pool }: Database): UsageRecovery {
  return {
    async recover({ batchId, leaseSeconds, limit }) {
      const {
        rows: [row],
      } = await pool.query<{ records: number }>({
        name: 'recover-usage',
        text: recoverSql,
        values: [batchId, leaseSeconds, limit],
      });
      return row?.records ?? 0;
    },
    async purge(leaseSeconds) {
      await pool.query(purgeRowsSql);
      await pool.query(purgeLeasesSql, [leaseSeconds]);
    },
  };
}
