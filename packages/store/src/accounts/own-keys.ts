// SQL by hand: a key is inserted in the statement that counts those there are.
import type { Database } from '../database/database.ts';
import type { NewKey } from './accounts.ts';

/** How many keys an account may make itself. */
export interface KeyLimits {
  readonly valid: number;
  readonly aDay: number;
}

/** Keys that accounts make and revoke themselves. */
export interface OwnKeys {
  /**
   * False when the account has as many valid keys as it may have, or made as many within a day.
   */
  create(key: NewKey, most: KeyLimits): Promise<boolean>;
  /** Returns false when the account has no such key. Revoking twice keeps the first time. */
  revoke(keyId: string, accountId: string): Promise<boolean>;
}

/** Requests at the same moment may make a few more together. */
const createSql = `
  INSERT INTO api_key (id, account_id, name, hash, prefix, scopes, models, requests_per_minute, expires_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
  FROM (SELECT count(*) FILTER (WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS valid,
    count(*) FILTER (WHERE created_at > now() - interval '1 day') AS made FROM api_key WHERE account_id = $2) k
  WHERE k.valid < $10 AND k.made < $11`;

const revokeSql =
  'UPDATE api_key SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 AND account_id = $2';

export function createOwnKeys({ pool }: Database): OwnKeys {
  return {
    async create(key, { valid, aDay }) {
      const { rowCount } = await pool.query(createSql, [
        key.id,
        key.accountId,
        key.name,
        key.hash,
        key.prefix,
        key.scopes,
        key.models,
        key.requestsPerMinute ?? null,
        key.expiresAt,
        valid,
        aDay,
      ]);
      return rowCount === 1;
    },
    async revoke(keyId, accountId) {
      const { rowCount } = await pool.query(revokeSql, [keyId, accountId]);
      return rowCount === 1;
    },
  };
}
