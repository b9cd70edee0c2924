// SQL by hand: the statements steer the planner to one index, on the database's clock.
import type { Database } from '../database/database.ts';
import type { PushTables } from './push-tables.ts';

/** One page of a walk over accounts in the order of their ids. */
export interface DuePage {
  /** Empty for the first page. */
  readonly after: string;
  readonly accounts: number;
  /** So many callbacks of each. */
  readonly perAccount: number;
  /** For this long, delayed attempts are left to the job that wakes them. */
  readonly graceMs: number;
}

/** An account with a push that is not settled. */
export interface DueOfAccount {
  readonly accountId: string;
  /** Those of its callbacks that are due and that nobody has claimed. */
  readonly callbackIds: readonly string[];
}

/** What a receiver may get now. */
export interface WaitingRequest {
  readonly receiver: string;
  readonly limit: number;
}

export interface WaitingCallback {
  readonly receiver: string;
  readonly callbackId: string;
  /** For how many milliseconds only the limits on its receiver have held it back. */
  readonly heldBackMs: number;
}

/**
 * What the dispatcher asks to find its work. A callback is due when it has a pending push, nothing
 * delays it, and it does not wait for its receiver.
 */
export interface DueCallbacks {
  /** Those of these that are due and that nobody has claimed. */
  dueAmong(callbackIds: readonly string[]): Promise<string[]>;
  /**
   * Accounts with a pending push, and what of theirs is due: no account hides behind another. Costs
   * with the accounts and with what is due, not with what is delayed or waits for its receiver.
   */
  findDue(page: DuePage): Promise<DueOfAccount[]>;
  /**
   * Ids of callbacks whose requested redelivery has not begun: a job that waits for a retry has to
   * be brought forward.
   */
  findAsked(limit: number): Promise<string[]>;
  /** Receivers behind `after`, in their order, that callbacks wait for: those of tasks and of endpoints. */
  findWaitedFor(page: { readonly after: string; readonly limit: number }): Promise<string[]>;
  /** Those that have waited longest for each of these receivers, of tasks and of endpoints. */
  findWaiting(requests: readonly WaitingRequest[]): Promise<WaitingCallback[]>;
}

const isUnclaimedSql = '(c.claimed_until IS NULL OR c.claimed_until <= now())';
const isDueSql = `(c.due_at IS NULL OR c.due_at <= now() - make_interval(secs => $2)) AND c.waiting_for IS NULL AND ${isUnclaimedSql}`;

/** Word for word the condition of callback_due_idx, so that the planner can use it. */
export const isOwedSql = (callback: string): string =>
  `${callback}.settled_sequence < ${callback}.newest_sequence AND ${callback}.waiting_for IS NULL`;

/**
 * Steps from account to account in callback_due_idx: one probe for each, however many callbacks it
 * has there.
 */
export const accountsSql = (
  { callback }: Pick<PushTables, 'callback'>,
  { after, limit }: { readonly after: string; readonly limit: string },
): string => `
  account (account_id, number) AS (
    (SELECT c.account_id, 1 FROM ${callback} c WHERE ${isOwedSql('c')} AND c.account_id > ${after} ORDER BY c.account_id LIMIT 1)
    UNION ALL
    SELECT next.account_id, a.number + 1
    FROM account a, LATERAL (SELECT c.account_id FROM ${callback} c WHERE ${isOwedSql('c')} AND c.account_id > a.account_id ORDER BY c.account_id LIMIT 1) next
    WHERE a.number < ${limit})`;

/**
 * As callback_due_idx is ordered, also where all is alike: the planner takes a third of all callbacks
 * for owed, and without an order it reads the whole table for the first few of so many.
 */
const inIndexOrder = 'c.due_at NULLS FIRST';

const findDueSql = (tables: PushTables): string => {
  const owed = (due: string): string => `
    (SELECT c.${tables.key} FROM ${tables.callback} c
     WHERE ${isOwedSql('c')} AND c.account_id = a.account_id AND ${due} AND ${isUnclaimedSql}
     ORDER BY ${inIndexOrder} LIMIT $3)`;
  return `
  WITH RECURSIVE ${accountsSql(tables, { after: '$1', limit: '$2' })}
  SELECT a.account_id AS "accountId", ARRAY(
    ${owed('c.due_at IS NULL')} UNION ALL ${owed('c.due_at <= now() - make_interval(secs => $4)')}
    LIMIT $3) AS "callbackIds"
  FROM account a ORDER BY a.number`;
};

const dueAmongSql = ({ callback, push, key }: PushTables): string => `
  SELECT c.${key} AS id FROM ${callback} c
  WHERE c.${key} = ANY ($1::text[]) AND ${isDueSql} AND EXISTS (SELECT 1 FROM ${push} p WHERE p.${key} = c.${key} AND p.state = 'pending')`;

const findAskedSql = ({ callback, key }: PushTables): string =>
  `SELECT c.${key} AS id FROM ${callback} c WHERE c.manual_at IS NOT NULL AND ${isDueSql.replace('$2', '0')} ORDER BY c.manual_at LIMIT $1`;

/** One probe of each table's index. */
const nextWaitedForSql = (after: string): string => `
    SELECT min(next.waiting_for) AS waiting_for FROM (
      (SELECT c.waiting_for FROM callback c WHERE c.waiting_for > ${after} ORDER BY c.waiting_for LIMIT 1)
      UNION ALL
      (SELECT c.waiting_for FROM endpoint_callback c WHERE c.waiting_for > ${after} ORDER BY c.waiting_for LIMIT 1)) next`;

const findWaitedForSql = `
  WITH RECURSIVE receiver (waiting_for, number) AS (
    SELECT first.waiting_for, 1 FROM (${nextWaitedForSql('$1')}) first WHERE first.waiting_for IS NOT NULL
    UNION ALL
    SELECT next.waiting_for, r.number + 1
    FROM receiver r, LATERAL (${nextWaitedForSql('r.waiting_for')}) next
    WHERE r.number < $2 AND next.waiting_for IS NOT NULL)
  SELECT waiting_for FROM receiver ORDER BY number`;

/** A dispatcher of the version before also delays what it holds back. */
const longestWaitingSql = (callback: string, key: string): string => `
      (SELECT c.${key} AS id, c.waiting_since FROM ${callback} c
       WHERE c.waiting_for = w.receiver AND (c.due_at IS NULL OR c.due_at <= now()) ORDER BY c.waiting_since LIMIT w.most)`;

const findWaitingSql = `
  SELECT w.receiver, found.id AS "callbackId", coalesce(extract(epoch FROM now() - found.waiting_since) * 1000, 0)::float8 AS "heldBackMs"
  FROM unnest($1::text[], $2::int[]) AS w(receiver, most),
    LATERAL (
      SELECT * FROM (${longestWaitingSql('callback', 'task_id')} UNION ALL ${longestWaitingSql('endpoint_callback', 'callback_id')}) both_kinds
      ORDER BY waiting_since LIMIT w.most) found`;

type Ids = readonly { readonly id: string }[];
const idsOf = (rows: Ids): string[] => rows.map((row) => row.id);

export function createDueCallbacks(pool: Database['pool'], tables: PushTables): DueCallbacks {
  const { callback: table } = tables;
  const sql = {
    dueAmong: dueAmongSql(tables),
    findDue: findDueSql(tables),
    findAsked: findAskedSql(tables),
  };
  return {
    async dueAmong(callbackIds) {
      const { rows } = await pool.query<Ids[number]>({
        name: `due-among-${table}`,
        text: sql.dueAmong,
        values: [callbackIds, 0],
      });
      return idsOf(rows);
    },
    async findDue({ after, accounts, perAccount, graceMs }) {
      const { rows } = await pool.query<DueOfAccount>({
        name: `find-due-${table}`,
        text: sql.findDue,
        values: [after, accounts, perAccount, graceMs / 1000],
      });
      return rows;
    },
    async findAsked(limit) {
      const { rows } = await pool.query<Ids[number]>({
        name: `find-asked-${table}`,
        text: sql.findAsked,
        values: [limit],
      });
      return idsOf(rows);
    },
    async findWaitedFor({ after, limit }) {
      const { rows } = await pool.query<{ waiting_for: string }>({
        name: 'find-waited-for',
        text: findWaitedForSql,
        values: [after, limit],
      });
      return rows.map((row) => row.waiting_for);
    },
    async findWaiting(requests) {
      const { rows } = await pool.query<WaitingCallback>({
        name: 'find-waiting-callbacks',
        text: findWaitingSql,
        values: [requests.map(({ receiver }) => receiver), requests.map(({ limit }) => limit)],
      });
      return rows;
    },
  };
}
