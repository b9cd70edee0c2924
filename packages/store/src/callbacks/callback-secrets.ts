// SQL by hand for what signs now, on the database's clock, and for the rotation, which locks the
// account.
import { randomBytes } from 'node:crypto';
import { inTransaction, type Database } from '../database/database.ts';

/** Bytes of a callback secret; Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** A fresh secret, `whsec_<base64>`. */
export const newCallbackSecret = (): string =>
  `whsec_${randomBytes(secretBytes).toString('base64')}`;

/** A secret that signs now. */
export interface ValidSecret {
  readonly secret: string;
  readonly createdAt: Date;
  /** Null: the current one. */
  readonly expiresAt: Date | null;
}

export interface RotateSecret {
  readonly accountId: string;
  /** `whsec_<base64>` */
  readonly secret: string;
  /** For how long the previous one keeps signing beside it; 0: not at all. */
  readonly overlapSeconds: number;
}

export interface CallbackSecrets {
  /** Those that sign this account's pushes now, newest first. */
  valid(accountId: string): Promise<ValidSecret[]>;
  /**
   * Makes `secret` the current one, and returns all that are valid then. Earlier ones keep the time
   * they have left, up to the overlap.
   */
  rotate(request: RotateSecret): Promise<ValidSecret[]>;
  /**
   * Seals again every secret that is not sealed under the first key of CALLBACK_SECRET_KEYS;
   * returns how many.
   */
  sealAll(): Promise<number>;
}

interface SecretRow {
  account_id: string;
  secret: string;
  created_at: Date;
  expires_at: Date | null;
}

/**
 * Each of them signs every push: with more, the header would be one that receivers refuse. Older
 * ones than these expire at once.
 */
const maxValidSecrets = 5;

const validSql =
  'SELECT * FROM callback_secret WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC';

/**
 * The account's row is locked first, so that of two rotations at once the second sees what the
 * first has made.
 */
const retireSql = `
  UPDATE callback_secret s SET expires_at = date_trunc('milliseconds', CASE WHEN older.rank >= $3 THEN now() ELSE least(s.expires_at, now() + make_interval(secs => $2)) END)
  FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS rank FROM callback_secret WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now())) older
  WHERE s.id = older.id`;

export function createCallbackSecrets(database: Database): CallbackSecrets {
  const { pool, seal } = database;
  const opened = (row: SecretRow): ValidSecret => ({
    secret: seal.open(row.secret, row.account_id),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  });
  return {
    async valid(accountId) {
      const { rows } = await pool.query<SecretRow>(validSql, [accountId]);
      return rows.map(opened);
    },
    async rotate({ accountId, secret, overlapSeconds }) {
      const rows = await inTransaction(pool, async (client) => {
        await client.query('SELECT 1 FROM account WHERE id = $1 FOR UPDATE', [accountId]);
        await client.query(retireSql, [accountId, overlapSeconds, maxValidSecrets]);
        await client.query('INSERT INTO callback_secret (account_id, secret) VALUES ($1, $2)', [
          accountId,
          seal.close(secret, accountId),
        ]);
        return (await client.query<SecretRow>(validSql, [accountId])).rows;
      });
      return rows.map(opened);
    },
    async sealAll() {
      const prisma = await database.prisma();
      const rows = await prisma.callbackSecret.findMany({ orderBy: { id: 'asc' } });
      const outdated = rows.filter(({ secret }) => !seal.isCurrent(secret));
      for (const { id, accountId, secret } of outdated) {
        await prisma.callbackSecret.updateMany({
          where: { id, secret },
          data: { secret: seal.close(seal.open(secret, accountId), accountId) },
        });
      }
      return outdated.length;
    },
  };
}
