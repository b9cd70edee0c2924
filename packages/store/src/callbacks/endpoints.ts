// SQL by hand: what is counted is counted under the account's lock, and a change names the account.
import type { AttemptClass, TaskStatus } from '@gateway/domain';
import { inTransaction, type Database } from '../database/database.ts';
import { readPage, type Page, type PageCursors, type PageRead } from '../database/page.ts';

/** An address that an account keeps: the statuses of all its tasks are pushed there. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** Empty: all of them. */
  readonly events: readonly TaskStatus[];
  readonly enabled: boolean;
  /** When the challenge was echoed; nothing is pushed before. */
  readonly verifiedAt: Date | null;
  /** How the last challenge failed, until one is echoed. */
  readonly failure: AttemptClass | null;
  readonly failureDetail: string | null;
  readonly createdAt: Date;
}

export interface NewEndpoint extends Pick<Endpoint, 'id' | 'url' | 'description' | 'events'> {
  readonly accountId: string;
}

export interface EndpointQuestion extends PageCursors {
  readonly accountId: string;
}

/** What is left out stays. */
export interface EndpointChange {
  readonly description?: string | null | undefined;
  readonly events?: readonly TaskStatus[] | undefined;
  readonly enabled?: boolean | undefined;
}

/** What came of a challenge. */
export interface ChallengeOutcome {
  readonly attemptClass: AttemptClass;
  readonly detail: string | null;
}

export interface Endpoints {
  /**
   * Not verified yet. `full`: the account has `most` already, exactly and over all replicas; `taken`: it
   * has one with this address.
   */
  create(endpoint: NewEndpoint, most: number): Promise<Endpoint | 'full' | 'taken'>;
  /** Newest first. */
  page(question: EndpointQuestion): Promise<Page<Endpoint>>;
  find(id: string, accountId: string): Promise<Endpoint | undefined>;
  /** Undefined where there is none. What is pending at one that is disabled is not sent any more. */
  change(id: string, accountId: string, change: EndpointChange): Promise<Endpoint | undefined>;
  /** From here on it has success for ever, or the failure until the next challenge. */
  noteChallenge(id: string, outcome: ChallengeOutcome): Promise<Endpoint | undefined>;
  /** What is pending there is not sent any more. */
  remove(id: string, accountId: string): Promise<boolean>;
}

const columns = `id, url, description, events, enabled, verified_at AS "verifiedAt", failure, failure_detail AS "failureDetail", created_at AS "createdAt"`;

const createSql = `
  INSERT INTO endpoint (id, account_id, url, description, events)
  SELECT $1, $2, $3, $4, $5::text[] WHERE (SELECT count(*) FROM endpoint WHERE account_id = $2) < $6
  ON CONFLICT (account_id, url) DO NOTHING RETURNING ${columns}`;

const changeSql = `
  UPDATE endpoint SET description = CASE WHEN $3 THEN $4 ELSE description END, events = coalesce($5::text[], events), enabled = coalesce($6::boolean, enabled)
  WHERE id = $1 AND account_id = $2 RETURNING ${columns}`;

const pageSql = (order: 'asc' | 'desc'): string => `
  SELECT ${columns} FROM endpoint
  WHERE account_id = $1 AND ($2::text IS NULL OR id < $2) AND ($3::text IS NULL OR id > $3) ORDER BY id ${order} LIMIT $4`;

const noteSql = `
  UPDATE endpoint SET verified_at = CASE WHEN $2 = 'success' THEN now() END,
    failure = nullif($2, 'success'), failure_detail = CASE WHEN $2 <> 'success' THEN $3::text END
  WHERE id = $1 AND verified_at IS NULL RETURNING ${columns}`;

export function createEndpoints({ pool }: Database): Endpoints {
  const one = async (sql: string, values: readonly unknown[]): Promise<Endpoint | undefined> =>
    (await pool.query<Endpoint>(sql, [...values])).rows[0];
  return {
    create: ({ id, accountId, url, description, events }, most) =>
      inTransaction(pool, async (client) => {
        // Of two creations at once the second counts what the first has made.
        await client.query('SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
        const values = [id, accountId, url, description, events, most];
        const { rows } = await client.query<Endpoint>(createSql, values);
        if (rows[0] !== undefined) return rows[0];
        const same = 'SELECT 1 FROM endpoint WHERE account_id = $1 AND url = $2';
        return (await client.query(same, [accountId, url])).rowCount === 1 ? 'taken' : 'full';
      }),
    page: ({ accountId, ...cursors }) =>
      readPage(cursors, async ({ ids, order, take }: PageRead<string>) => {
        const values = [accountId, ids.lt ?? null, ids.gt ?? null, take];
        return (await pool.query<Endpoint>(pageSql(order), values)).rows;
      }),
    find: (id, accountId) =>
      one(`SELECT ${columns} FROM endpoint WHERE id = $1 AND account_id = $2`, [id, accountId]),
    change: (id, accountId, { description, events, enabled }) =>
      one(changeSql, [
        id,
        accountId,
        description !== undefined,
        description ?? null,
        events ?? null,
        enabled ?? null,
      ]),
    noteChallenge: (id, { attemptClass, detail }) => one(noteSql, [id, attemptClass, detail]),
    async remove(id, accountId) {
      const sql = 'DELETE FROM endpoint WHERE id = $1 AND account_id = $2';
      return (await pool.query(sql, [id, accountId])).rowCount === 1;
    },
  };
}
