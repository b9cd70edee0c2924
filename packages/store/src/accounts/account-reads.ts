import type { Database } from '../database/database.ts';
import { readPage, type Page, type PageCursors } from '../database/page.ts';

/** An account as its operator sees it. */
export interface AccountOverview {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly balanceQuota: number;
  readonly heldQuota: number;
  /** Unfinished tasks. */
  readonly activeVideos: number;
  /** Keys that are neither revoked nor expired. */
  readonly activeKeys: number;
}

/** A key as its operator sees it: everything but the key. */
export interface KeyOverview {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  /** Empty: every model. */
  readonly models: readonly string[];
  /** Null: the configuration's default. */
  readonly requestsPerMinute: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** To the minute; null: never. */
  readonly lastUsedAt: Date | null;
}

export interface AccountReads {
  find(accountId: string): Promise<AccountOverview | undefined>;
  page(cursors: PageCursors): Promise<Page<AccountOverview>>;
  keys(question: PageCursors & { readonly accountId: string }): Promise<Page<KeyOverview>>;
  findKey(keyId: string): Promise<KeyOverview | undefined>;
}

const accountSql = `
  SELECT a.id, a.name, a.created_at AS "createdAt", coalesce(b.balance, 0) AS "balanceQuota", coalesce(b.held, 0) AS "heldQuota", coalesce(v.active, 0) AS "activeVideos",
    (SELECT count(*) FROM api_key k WHERE k.account_id = a.id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) AS "activeKeys"
  FROM account a LEFT JOIN balance b ON b.account_id = a.id LEFT JOIN account_videos v ON v.account_id = a.id`;

const keySql = `
  SELECT id, account_id AS "accountId", name, prefix, scopes, models, requests_per_minute AS "requestsPerMinute",
    created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"
  FROM api_key`;

export function createAccountReads({ pool }: Database): AccountReads {
  return {
    async find(accountId) {
      const { rows } = await pool.query<AccountOverview>(`${accountSql} WHERE a.id = $1`, [
        accountId,
      ]);
      return rows[0];
    },
    page: (cursors) => readPage(pool, { select: accountSql, idColumn: 'a.id', cursors }),
    keys: ({ accountId, ...cursors }) =>
      readPage(pool, {
        select: keySql,
        where: { 'account_id =': accountId },
        idColumn: 'id',
        cursors,
      }),
    async findKey(keyId) {
      const { rows } = await pool.query<KeyOverview>(`${keySql} WHERE id = $1`, [keyId]);
      return rows[0];
    },
  };
}
