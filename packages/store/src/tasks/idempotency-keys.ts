// SQL by hand: the creation of a task waits for it, and who comes first is decided by ON CONFLICT,
// on the database's clock.
import type { Database } from '../database/database.ts';

/** A customer's `Idempotency-Key` with the hash of the body it came with. */
export interface IdempotencyClaim {
  readonly accountId: string;
  readonly key: string;
  readonly bodyHash: Uint8Array;
}

export interface ClaimedTask {
  /** The task this key stands for: the proposed one, or the one of an earlier request. */
  readonly taskId: string;
  readonly sameBody: boolean;
  /** The task was written: where it is missing now, it was deleted. */
  readonly created: boolean;
}

export interface IdempotencyKeys {
  /**
   * Writes the key first, so that a repeated request completes the same task instead of making
   * another.
   */
  claimKey(claim: IdempotencyClaim, proposedTaskId: string): Promise<ClaimedTask>;
  /** Gives a key back whose task was never created. */
  dropKey(claim: IdempotencyClaim, taskId: string): Promise<void>;
  /** Removes keys older than a day; returns how many. */
  purgeKeys(): Promise<number>;
}

export function createIdempotencyKeys(pool: Database['pool']): IdempotencyKeys {
  return {
    async claimKey({ accountId, key, bodyHash }, proposedTaskId) {
      const claimed = await pool.query<{ task_id: string }>(
        `INSERT INTO idempotency_key (account_id, key, body_hash, task_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id, key) DO UPDATE SET body_hash = excluded.body_hash, task_id = excluded.task_id, created = false, created_at = now()
         WHERE idempotency_key.created_at < now() - interval '24 hours'
         RETURNING task_id`,
        [accountId, key, bodyHash, proposedTaskId],
      );
      if (claimed.rows[0] !== undefined) {
        return { taskId: claimed.rows[0].task_id, sameBody: true, created: false };
      }
      const known = await pool.query<{ task_id: string; same_body: boolean; created: boolean }>(
        'SELECT task_id, body_hash = $3 AS same_body, created FROM idempotency_key WHERE account_id = $1 AND key = $2',
        [accountId, key, bodyHash],
      );
      const row = known.rows[0];
      // Dropped between the two statements: the key is free again, and the statement that inserts
      // the task writes it.
      return row === undefined
        ? { taskId: proposedTaskId, sameBody: true, created: false }
        : { taskId: row.task_id, sameBody: row.same_body, created: row.created };
    },
    async dropKey({ accountId, key }, taskId) {
      await pool.query(
        'DELETE FROM idempotency_key WHERE account_id = $1 AND key = $2 AND task_id = $3 AND NOT created',
        [accountId, key, taskId],
      );
    },
    async purgeKeys() {
      const { rowCount } = await pool.query(
        `DELETE FROM idempotency_key WHERE created_at < now() - interval '24 hours'`,
      );
      return rowCount ?? 0;
    },
  };
}
