import type { TaskStatus } from '@gateway/domain';
import type { Database } from './database.ts';

export type CallbackState = 'unverified' | 'verified' | 'stopped';

/** A callback as its claimant sees it. */
export interface ClaimedCallback {
  readonly state: CallbackState;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** The value to be echoed, while the callback is unverified; the same on every attempt. */
  readonly challenge: string | null;
  /** Milliseconds until the next attempt may begin, 0 or less when it may now; null when nothing was put off. */
  readonly dueInMs: number | null;
}

export type CallbackClaim =
  | { readonly kind: 'claimed'; readonly callback: ClaimedCallback }
  /** Somebody else holds it and may be at work. */
  | { readonly kind: 'busy'; readonly freeInMs: number }
  | { readonly kind: 'absent' };

interface ClaimRequest {
  readonly taskId: string;
  /** Of this look: every later write names it, so that whoever lost the claim changes nothing. */
  readonly token: string;
  readonly forMs: number;
  /** Becomes the challenge of an unverified callback that has none. */
  readonly newChallenge: string;
}

export interface PendingPush {
  readonly sequence: number;
  readonly status: TaskStatus;
  /** Attempts so far. */
  readonly attempts: number;
}

/** One page of a walk over ids in their order. */
export interface DuePage {
  readonly after: string;
  readonly limit: number;
  /** Put-off attempts are left to their own wake-up for this long. */
  readonly graceMs: number;
}

/**
 * The dispatcher's tables. A callback is due when it has a pending push and nothing put it off: the statements that write
 * events insert pushes and do not touch the callback. A claim is a fence, not only a lock: it may run out under a
 * claimant that is slow, and from then on that claimant's writes change nothing.
 */
export interface Callbacks {
  /** Takes the callback, or keeps it with the same token. What is read after this call was not changed by another claimant. */
  claim(request: ClaimRequest): Promise<CallbackClaim>;
  /** Oldest first. */
  pendingPushes(taskId: string): Promise<PendingPush[]>;
  /** Gives the claim back without having attempted anything. */
  release(taskId: string, token: string): Promise<void>;
  /** Marks what is still pending as stopped, and gives the claim back: for events that came after pushing had stopped. */
  stopPending(taskId: string, token: string): Promise<void>;
  isDue(taskId: string): Promise<boolean>;
  /** Ids of callbacks that are due and that nobody holds. */
  findDue(page: DuePage): Promise<string[]>;
}

const claimSql = `
  UPDATE callback SET claim_token = $2, claimed_until = now() + make_interval(secs => $3),
    challenge = CASE WHEN state = 'unverified' THEN coalesce(challenge, $4) END
  WHERE task_id = $1 AND (claim_token IS NULL OR claim_token = $2 OR claimed_until <= now())
  RETURNING state, failures, challenge, ceil(extract(epoch FROM due_at - now()) * 1000)::int AS due_in_ms`;

interface ClaimedRow {
  state: CallbackState;
  failures: number;
  challenge: string | null;
  due_in_ms: number | null;
}

const isDueSql = `(c.due_at IS NULL OR c.due_at <= now() - make_interval(secs => $2)) AND (c.claimed_until IS NULL OR c.claimed_until <= now())`;

/**
 * Walks the index of pending pushes, and looks each callback up: the LIMIT inside keeps the planner from merging the walk
 * with a walk over the whole history. What is finished, however much, costs nothing.
 */
const findDueSql = `
  SELECT p.task_id
  FROM (SELECT DISTINCT task_id FROM callback_push WHERE state = 'pending' AND task_id > $1) p,
    LATERAL (SELECT 1 FROM callback c WHERE c.task_id = p.task_id AND ${isDueSql} LIMIT 1) due
  ORDER BY p.task_id LIMIT $3`;

export function createCallbacks({ pool }: Database): Callbacks {
  return {
    async claim({ taskId, token, forMs, newChallenge }) {
      const { rows } = await pool.query<ClaimedRow>({ name: 'claim-callback', text: claimSql, values: [taskId, token, forMs / 1000, newChallenge] });
      const row = rows[0];
      if (row === undefined) return whyNotClaimed(pool, taskId);
      return { kind: 'claimed', callback: { state: row.state, failures: row.failures, challenge: row.challenge, dueInMs: row.due_in_ms } };
    },
    async pendingPushes(taskId) {
      // Not part of the claiming statement: one that waited for the row would show the pushes as they were before the wait.
      const { rows } = await pool.query<PendingPush>({
        name: 'pending-pushes',
        text: `SELECT sequence, status, attempts FROM callback_push WHERE task_id = $1 AND state = 'pending' ORDER BY sequence`,
        values: [taskId],
      });
      return rows;
    },
    async release(taskId, token) {
      await pool.query(`UPDATE callback SET ${released} WHERE task_id = $1 AND claim_token = $2`, [taskId, token]);
    },
    async stopPending(taskId, token) {
      await pool.query(
        `WITH mine AS (UPDATE callback SET ${released} WHERE task_id = $1 AND claim_token = $2 RETURNING task_id)
         UPDATE callback_push p SET state = 'stopped', settled_at = now() FROM mine WHERE p.task_id = mine.task_id AND p.state = 'pending'`, [taskId, token]);
    },
    async isDue(taskId) {
      const { rowCount } = await pool.query({
        name: 'is-callback-due',
        text: `SELECT 1 FROM callback c WHERE c.task_id = $1 AND ${isDueSql} AND EXISTS (SELECT 1 FROM callback_push p WHERE p.task_id = c.task_id AND p.state = 'pending')`,
        values: [taskId, 0],
      });
      return rowCount === 1;
    },
    async findDue({ after, limit, graceMs }) {
      const { rows } = await pool.query<{ task_id: string }>({ name: 'find-due-callbacks', text: findDueSql, values: [after, graceMs / 1000, limit] });
      return rows.map((row) => row.task_id);
    },
  };
}

/** A time that has passed says no more than none. */
const released = `claim_token = NULL, claimed_until = NULL, due_at = CASE WHEN due_at > now() THEN due_at END`;

async function whyNotClaimed(pool: Database['pool'], taskId: string): Promise<CallbackClaim> {
  const { rows } = await pool.query<{ free_in_ms: number | null }>(
    `SELECT ceil(extract(epoch FROM claimed_until - now()) * 1000)::int AS free_in_ms FROM callback WHERE task_id = $1`, [taskId]);
  const row = rows[0];
  return row === undefined ? { kind: 'absent' } : { kind: 'busy', freeInMs: Math.max(row.free_in_ms ?? 0, 0) };
}
