// SQL by hand: one statement for many keys, past the rows that somebody else has locked.
import type { Database } from '../database/database.ts';

/** That a key was used, and when last. */
export interface KeyUse {
  readonly keyId: string;
  readonly at: Date;
}

export interface KeyUses {
  /**
   * Notes when keys were last used, each at most once a minute, however many replicas tell of it.
   * Returns how many were written.
   */
  save(uses: readonly KeyUse[]): Promise<number>;
}

/**
 * A row that somebody else is writing is left to them: two replicas that tell of the same keys do
 * not wait for each other.
 */
const saveSql = `
  WITH due AS (
    SELECT k.id, u.at FROM api_key k JOIN unnest($1::text[], $2::timestamptz[]) AS u (id, at) ON u.id = k.id
    WHERE k.last_used_at IS NULL OR k.last_used_at <= u.at - interval '1 minute'
    FOR NO KEY UPDATE OF k SKIP LOCKED)
  UPDATE api_key k SET last_used_at = due.at FROM due WHERE k.id = due.id`;

export function createKeyUses({ pool }: Database): KeyUses {
  return {
    async save(uses) {
      const { rowCount } = await pool.query({
        name: 'save-key-uses',
        text: saveSql,
        values: [uses.map(({ keyId }) => keyId), uses.map(({ at }) => at)],
      });
      return rowCount ?? 0;
    },
  };
}
