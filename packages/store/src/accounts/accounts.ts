import { inTransaction, type Database } from '../database/database.ts';
import { addTopUp } from '../money/ledger.ts';

export interface NewAccount {
  readonly id: string;
  readonly name: string;
  readonly callbackSecret: string;
  readonly quota?: number;
}

export interface NewKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** SHA-256 of the key. */
  readonly hash: Uint8Array<ArrayBuffer>;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly models: readonly string[];
  /** Left out: the configuration's default. */
  readonly requestsPerMinute?: number | null;
  readonly expiresAt: Date | null;
}

/** A key as the authenticator needs it. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  /** Empty: every model. */
  readonly models: readonly string[];
  /** Null: the configuration's default. */
  readonly requestsPerMinute: number | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Of its account; null: it is not suspended. */
  readonly suspendedAt: Date | null;
  /** Unfinished videos that its account may have; null: as the configuration says. */
  readonly activeVideosLimit: number | null;
}

/** A KeyRecord, of a key `k` and its account `a`. */
export const keyRecordFields = `
  k.id, k.account_id AS "accountId", k.scopes, k.models, k.requests_per_minute AS "requestsPerMinute", k.expires_at AS "expiresAt",
  k.revoked_at AS "revokedAt", a.suspended_at AS "suspendedAt", a.active_videos_limit AS "activeVideosLimit"`;

export interface Accounts {
  /**
   * The account, its callback secret and its first quota (0 unless given) in one transaction: all
   * of it or nothing.
   */
  create(account: NewAccount): Promise<void>;
  exists(accountId: string): Promise<boolean>;
  createKey(key: NewKey): Promise<void>;
  findKeyByHash(hash: Uint8Array<ArrayBuffer>): Promise<KeyRecord | undefined>;
  /** The keys of these hashes, in their order, with one statement. */
  findKeysByHash(hashes: readonly Uint8Array<ArrayBuffer>[]): Promise<(KeyRecord | undefined)[]>;
  /** Returns false when there is no such key. Revoking twice keeps the first time. */
  revokeKey(keyId: string): Promise<boolean>;
}

/** By hand: every request is authenticated with it. */
const keysByHashSql = `
  SELECT i.place::int AS place, ${keyRecordFields}
  FROM unnest($1::bytea[]) WITH ORDINALITY AS i(hash, place) JOIN api_key k ON k.hash = i.hash JOIN account a ON a.id = k.account_id`;

export function createAccounts(database: Database): Accounts {
  return {
    // By hand, as all that gives quota: one transaction with the ledger's entry.
    create: ({ id, name, callbackSecret, quota = 0 }) =>
      inTransaction(database.pool, async (client) => {
        await client.query('INSERT INTO account (id, name) VALUES ($1, $2)', [id, name]);
        await client.query('INSERT INTO callback_secret (account_id, secret) VALUES ($1, $2)', [
          id,
          database.seal.close(callbackSecret, id),
        ]);
        if (quota > 0) await addTopUp(client, { accountId: id, quota, note: 'account created' });
      }),
    async exists(accountId) {
      const prisma = await database.prisma();
      return (await prisma.account.count({ where: { id: accountId } })) === 1;
    },
    async createKey({ scopes, models, ...key }) {
      const prisma = await database.prisma();
      await prisma.apiKey.create({
        data: { ...key, scopes: [...scopes], models: [...models] },
      });
    },
    async findKeyByHash(hash) {
      return (await findKeys(database, [hash]))[0];
    },
    findKeysByHash: (hashes) => findKeys(database, hashes),
    async revokeKey(keyId) {
      const { rowCount } = await database.pool.query(
        'UPDATE api_key SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1',
        [keyId],
      );
      return rowCount === 1;
    },
  };
}

async function findKeys(
  { pool }: Database,
  hashes: readonly Uint8Array<ArrayBuffer>[],
): Promise<(KeyRecord | undefined)[]> {
  const { rows } = await pool.query<KeyRecord & { readonly place: number }>({
    name: 'keys-by-hash',
    text: keysByHashSql,
    values: [hashes],
  });
  const found = hashes.map((): KeyRecord | undefined => undefined);
  for (const { place, ...record } of rows) found[place - 1] = record;
  return found;
}
