// SQL by hand: text requests wait for it, and a batch and the open usage it closes are one
// statement.
import type { UsageBatch, UsageRecord } from '@gateway/contracts';
import type { Database } from '../database/database.ts';

/** Usage of requests that are still running, of one replica of the api. */
export interface OpenUsage {
  readonly replica: string;
  /** As they would be if the replica ended now; the same ids again replace what was said before. */
  readonly records: readonly UsageRecord[];
}

/**
 * The api's side of metering: usage is safe from here on, whatever becomes of queues and processes.
 */
export interface UsageOutbox {
  /**
   * Saves a batch; the same batch again is a no-op. `closed`: ids of its records that `keepOpen`
   * may have written, which are forgotten with the same statement.
   */
  save(batch: UsageBatch, closed?: readonly string[]): Promise<void>;
  /** Writes down what runs and renews the replica's lease on all that it wrote before. */
  keepOpen(open: OpenUsage): Promise<void>;
  /** Those among these ids that have open usage. */
  findOpen(ids: readonly string[]): Promise<string[]>;
}

const saveSql = 'INSERT INTO usage_batch (id, records) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING';
const saveAndCloseSql = `WITH closed AS (DELETE FROM usage_open WHERE id = ANY($3)) ${saveSql}`;

/** Rows in the order of their ids, as billing takes them. */
const keepOpenSql = `
  WITH lease AS (
    INSERT INTO usage_lease (replica, renewed_at) VALUES ($1, now()) ON CONFLICT (replica) DO UPDATE SET renewed_at = excluded.renewed_at)
  INSERT INTO usage_open (id, replica, record)
  SELECT record->>'id', $1, record FROM jsonb_array_elements($2) AS record ORDER BY 1
  ON CONFLICT (id) DO UPDATE SET replica = excluded.replica, record = excluded.record`;

export function createUsageOutbox({ pool }: Database): UsageOutbox {
  return {
    async save({ id, records }, closed = []) {
      const values = [id, JSON.stringify(records)];
      await pool.query(
        closed.length === 0
          ? { name: 'save-usage', text: saveSql, values }
          : { name: 'save-and-close-usage', text: saveAndCloseSql, values: [...values, closed] },
      );
    },
    async keepOpen({ replica, records }) {
      await pool.query({
        name: 'keep-open-usage',
        text: keepOpenSql,
        values: [replica, JSON.stringify(records)],
      });
    },
    async findOpen(ids) {
      const { rows } = await pool.query<{ id: string }>({
        name: 'find-open-usage',
        text: 'SELECT id FROM usage_open WHERE id = ANY($1) ORDER BY id',
        values: [ids],
      });
      return rows.map(({ id }) => id);
    },
  };
}
