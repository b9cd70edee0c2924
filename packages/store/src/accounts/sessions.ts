// SQL by hand: requests of browsers are authenticated with it, on the database's clock.
import type { Database } from '../database/database.ts';
import { readPage, type Page, type PageCursors } from '../database/page.ts';
import { keyRecordFields, type KeyRecord } from './accounts.ts';

/** Who opened it: the id of a key, or the operator. */
export type SessionOwner = string;
export const operatorOwner = 'operator';

export interface NewSession {
  readonly id: string;
  readonly owner: SessionOwner;
  /** SHA-256 of what its cookie carries. */
  readonly hash: Uint8Array<ArrayBuffer>;
  readonly userAgent: string | null;
}

export interface SessionRecord {
  readonly id: string;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** The key of a session, as the authenticator needs it. */
export interface SessionKey extends KeyRecord {
  readonly sessionId: string;
}

export interface Sessions {
  /** Ends the least recently used sessions of its owner beyond the most that it may have. */
  open(session: NewSession): Promise<SessionRecord>;
  /** The key of a session that is valid now; notes the use. */
  findKey(hash: Uint8Array<ArrayBuffer>): Promise<SessionKey | undefined>;
  /** The same for an operator's. */
  findOperator(hash: Uint8Array<ArrayBuffer>): Promise<SessionRecord | undefined>;
  find(id: string, owner: SessionOwner): Promise<SessionRecord | undefined>;
  /** Valid ones, newest first. */
  page(question: PageCursors & { readonly owner: SessionOwner }): Promise<Page<SessionRecord>>;
  /** Returns false when the owner has no such session. */
  end(id: string, owner: SessionOwner): Promise<boolean>;
  /** Removes rows of sessions that are over; returns how many. */
  purge(limit: number): Promise<number>;
}

/** How long a session lasts, and how long it may be unused. */
const lasts = `interval '8 hours'`;
const idles = `interval '2 hours'`;
const mostOfOwner = 50;

const isValid = `s.expires_at > now() AND s.last_used_at > now() - ${idles}`;
const fields = `s.id, s.user_agent AS "userAgent", s.created_at AS "createdAt", s.last_used_at AS "lastUsedAt", s.expires_at AS "expiresAt"`;
/** Written once a minute, however often a page asks. */
const touched = `touched AS (UPDATE session SET last_used_at = now() WHERE id = (SELECT id FROM found) AND last_used_at < now() - interval '1 minute')`;

const openSql = `
  WITH beyond AS (
    DELETE FROM session WHERE id IN (SELECT id FROM session WHERE owner = $2 ORDER BY last_used_at DESC, id DESC OFFSET ${mostOfOwner - 1}))
  INSERT INTO session AS s (id, owner, hash, user_agent, expires_at) VALUES ($1, $2, $3, $4, now() + ${lasts}) RETURNING ${fields}`;

const keySql = `
  WITH found AS (SELECT s.id, s.owner FROM session s WHERE s.hash = $1 AND s.owner <> '${operatorOwner}' AND ${isValid}), ${touched}
  SELECT f.id AS "sessionId", ${keyRecordFields}
  FROM found f JOIN api_key k ON k.id = f.owner JOIN account a ON a.id = k.account_id`;

const operatorSql = `
  WITH found AS (SELECT ${fields} FROM session s WHERE s.hash = $1 AND s.owner = '${operatorOwner}' AND ${isValid}), ${touched}
  SELECT * FROM found`;

export function createSessions({ pool }: Database): Sessions {
  return {
    async open({ id, owner, hash, userAgent }) {
      const { rows } = await pool.query<SessionRecord>(openSql, [id, owner, hash, userAgent]);
      if (rows[0] === undefined) throw new Error('the database returned no session');
      return rows[0];
    },
    async findKey(hash) {
      const { rows } = await pool.query<SessionKey>({
        name: 'key-by-session',
        text: keySql,
        values: [hash],
      });
      return rows[0];
    },
    async findOperator(hash) {
      const { rows } = await pool.query<SessionRecord>(operatorSql, [hash]);
      return rows[0];
    },
    async find(id, owner) {
      const { rows } = await pool.query<SessionRecord>(
        `SELECT ${fields} FROM session s WHERE s.id = $1 AND s.owner = $2 AND ${isValid}`,
        [id, owner],
      );
      return rows[0];
    },
    page: ({ owner, ...cursors }) =>
      readPage(cursors, async ({ ids: { lt = null, gt = null }, order, take }) => {
        const { rows } = await pool.query<SessionRecord>(
          `SELECT ${fields} FROM session s WHERE s.owner = $1 AND ${isValid}
             AND ($3::text IS NULL OR s.id < $3) AND ($4::text IS NULL OR s.id > $4) ORDER BY s.id ${order} LIMIT $2`,
          [owner, take, lt, gt],
        );
        return rows;
      }),
    async end(id, owner) {
      const { rowCount } = await pool.query('DELETE FROM session WHERE id = $1 AND owner = $2', [
        id,
        owner,
      ]);
      return rowCount === 1;
    },
    async purge(limit) {
      const { rowCount } = await pool.query(
        'DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)',
        [limit],
      );
      return rowCount ?? 0;
    },
  };
}
