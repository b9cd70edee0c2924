// SQL by hand: claims, which are fences, on the database's clock.
import type { Task } from '@gateway/contracts';
import type { TaskStatus } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { createDueCallbacks, type DueCallbacks } from './due-callbacks.ts';
import { toTask, type TaskRow } from '../tasks/task-row.ts';

export type CallbackState = 'unverified' | 'verified' | 'stopped';

/** A callback as its claimant sees it. */
export interface ClaimedCallback {
  readonly state: CallbackState;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** The value to be echoed, while the callback is unverified; the same on every attempt. */
  readonly challenge: string | null;
  /**
   * Milliseconds until the next attempt may begin, 0 or less when it may now; null when it was not
   * delayed.
   */
  readonly dueInMs: number | null;
  /** Somebody asked for a redelivery: the next attempt is theirs. */
  readonly manual: boolean;
  /**
   * For how many milliseconds only the limits on its receiver have held it back; 0 when they do
   * not.
   */
  readonly heldBackMs: number;
}

export type CallbackClaim =
  | {
      readonly kind: 'claimed';
      readonly callback: ClaimedCallback;
      /** Undefined when the task was deleted. */ readonly snapshot: CallbackSnapshot | undefined;
    }
  /** Somebody else holds it and may be at work. */
  | { readonly kind: 'busy'; readonly freeInMs: number }
  | { readonly kind: 'absent' };

interface ClaimRequest {
  readonly taskId: string;
  /** Of this claim. Every later write names it, so that whoever lost the claim changes nothing. */
  readonly token: string;
  readonly forMs: number;
  /** Becomes the challenge of an unverified callback that has none. */
  readonly newChallenge: string;
}

interface DeferRequest {
  readonly taskId: string;
  readonly token: string;
  /** What it waits for, in the words of `findWaiting`. */
  readonly receiver: string;
}

export interface PendingPush {
  readonly sequence: number;
  readonly status: TaskStatus;
  /** Attempts so far. */
  readonly attempts: number;
}

/** All that an attempt needs, as it was at one moment. */
export interface CallbackSnapshot {
  readonly task: Task;
  /** Oldest first. */
  readonly pending: readonly PendingPush[];
  /** Those that sign now, newest first. */
  readonly secrets: readonly string[];
}

/**
 * The dispatcher's tables. The statements that write events insert pushes and do not touch the
 * callback. A claim is a fence, not only a lock: it may expire under a slow claimant, whose writes
 * change nothing from then on.
 */
export interface Callbacks extends DueCallbacks {
  /**
   * Takes the callback, or keeps it with the same token, and shows what there is to do: nothing
   * that another claimant wrote is missing in it.
   */
  claim(request: ClaimRequest): Promise<CallbackClaim>;
  /** Gives the claim back without having attempted anything. */
  release(taskId: string, token: string): Promise<void>;
  /**
   * The same, and has it wait for its receiver, which has as much in flight as it may have. It keeps
   * its position there, and is not due until somebody claims it again.
   */
  defer(request: DeferRequest): Promise<void>;
  /**
   * Marks what is still pending as stopped, and gives the claim back: for events that arrived after
   * pushing had stopped.
   */
  stopPending(taskId: string, token: string): Promise<void>;
}

const snapshotColumns = `
    (SELECT coalesce(json_agg(json_build_object('sequence', p.sequence, 'status', p.status, 'attempts', p.attempts) ORDER BY p.sequence), '[]')
     FROM callback_push p WHERE p.task_id = t.id AND p.state = 'pending') AS pending_pushes,
    ARRAY(SELECT s.secret FROM callback_secret s WHERE s.account_id = t.account_id AND (s.expires_at IS NULL OR s.expires_at > now()) ORDER BY s.id DESC) AS signing_secrets`;

/**
 * One round trip for the claim and all that is read under it. A statement that waited for the
 * callback's row shows everything else as it was before the wait. Then the row it locked is not the
 * version its snapshot showed: `is_current` says so, and the rest is read again. Every claimant
 * writes the callback in the same transaction as its pushes, so nothing of theirs is missed.
 */
const claimSql = `
  WITH free AS (
    SELECT task_id, xmin AS version FROM callback
    WHERE task_id = $1 AND (claim_token IS NULL OR claim_token = $2 OR claimed_until <= now()) FOR UPDATE),
  claimed AS (
    UPDATE callback c SET claim_token = $2, claimed_until = now() + make_interval(secs => $3), waiting_for = NULL,
      challenge = CASE WHEN c.state = 'unverified' THEN coalesce(c.challenge, $4) END
    FROM free WHERE c.task_id = free.task_id
    RETURNING c.task_id, c.state, c.failures, c.challenge, ceil(extract(epoch FROM c.due_at - now()) * 1000)::int AS due_in_ms,
      c.manual_at IS NOT NULL AS manual, coalesce(extract(epoch FROM now() - c.waiting_since) * 1000, 0)::float8 AS held_back_ms, free.version)
  SELECT t.*, claimed.state, claimed.failures, claimed.challenge, claimed.due_in_ms, claimed.manual, claimed.held_back_ms,
    EXISTS (SELECT 1 FROM callback c WHERE c.task_id = $1 AND c.xmin = claimed.version) AS is_current,${snapshotColumns}
  FROM claimed LEFT JOIN task t ON t.id = claimed.task_id AND t.deleted_at IS NULL`;

interface ClaimedRow {
  state: CallbackState;
  failures: number;
  challenge: string | null;
  due_in_ms: number | null;
  manual: boolean;
  held_back_ms: number;
  is_current: boolean;
}

interface SnapshotRow extends TaskRow {
  pending_pushes: PendingPush[];
  signing_secrets: string[];
}

/** What the columns of a task are when it was deleted. */
interface NoTask {
  id: null;
}

const snapshotSql = `SELECT t.*,${snapshotColumns} FROM task t WHERE t.id = $1 AND t.deleted_at IS NULL`;

export function createCallbacks(database: Database): Callbacks {
  return { ...createDueCallbacks(database.pool), ...claims(database) };
}

function claims({ pool, seal }: Database): Omit<Callbacks, keyof DueCallbacks> {
  const snapshotOf = (row: SnapshotRow): CallbackSnapshot => ({
    task: toTask(row),
    pending: row.pending_pushes,
    secrets: row.signing_secrets.map((secret) => seal.open(secret, row.account_id)),
  });
  const readAgain = async (taskId: string): Promise<CallbackSnapshot | undefined> => {
    const { rows } = await pool.query<SnapshotRow>({
      name: 'callback-snapshot',
      text: snapshotSql,
      values: [taskId],
    });
    return rows[0] && snapshotOf(rows[0]);
  };
  return {
    async claim({ taskId, token, forMs, newChallenge }) {
      const { rows } = await pool.query<ClaimedRow & (SnapshotRow | NoTask)>({
        name: 'claim-callback',
        text: claimSql,
        values: [taskId, token, forMs / 1000, newChallenge],
      });
      const row = rows[0];
      if (row === undefined) return whyNotClaimed(pool, taskId);
      const callback = {
        state: row.state,
        failures: row.failures,
        challenge: row.challenge,
        dueInMs: row.due_in_ms,
        manual: row.manual,
        heldBackMs: row.held_back_ms,
      };
      if (!row.is_current) return { kind: 'claimed', callback, snapshot: await readAgain(taskId) };
      return { kind: 'claimed', callback, snapshot: row.id === null ? undefined : snapshotOf(row) };
    },
    async release(taskId, token) {
      await pool.query({
        name: 'release-callback',
        text: `UPDATE callback c SET ${released}, settled_sequence = ${settledSql} WHERE task_id = $1 AND claim_token = $2`,
        values: [taskId, token],
      });
    },
    async defer({ taskId, token, receiver }) {
      // A redelivery that was asked for meanwhile waits with the rest: its receiver is just as
      // busy.
      await pool.query({
        name: 'defer-callback',
        text: deferSql,
        values: [taskId, token, receiver],
      });
    },
    async stopPending(taskId, token) {
      await pool.query(stopPendingSql, [taskId, token]);
    },
  };
}

/** A time that has passed says no more than none. */
const released = `claim_token = NULL, claimed_until = NULL, due_at = CASE WHEN due_at > now() THEN due_at END`;

/**
 * What has been settled as far as this statement can see. A push that it cannot see is newer, and
 * has raised the row's own newest sequence.
 */
const newestSeenSql = `coalesce((SELECT max(p.sequence) FROM callback_push p WHERE p.task_id = c.task_id), settled_sequence)`;
const settledSql = `coalesce(
  (SELECT coalesce(min(p.sequence) FILTER (WHERE p.state = 'pending') - 1, max(p.sequence)) FROM callback_push p WHERE p.task_id = c.task_id), settled_sequence)`;

const deferSql = `
  UPDATE callback SET claim_token = NULL, claimed_until = NULL, due_at = NULL, waiting_for = $3, waiting_since = coalesce(waiting_since, now())
  WHERE task_id = $1 AND claim_token = $2`;

const stopPendingSql = `
  WITH mine AS (
    UPDATE callback c SET ${released}, settled_sequence = CASE WHEN state = 'stopped' THEN ${newestSeenSql} ELSE settled_sequence END
    WHERE task_id = $1 AND claim_token = $2 RETURNING task_id, state)
  UPDATE callback_push p SET state = 'stopped', settled_at = now() FROM mine WHERE p.task_id = mine.task_id AND mine.state = 'stopped' AND p.state = 'pending'`;

async function whyNotClaimed(pool: Database['pool'], taskId: string): Promise<CallbackClaim> {
  const { rows } = await pool.query<{ free_in_ms: number | null }>(
    `SELECT ceil(extract(epoch FROM claimed_until - now()) * 1000)::int AS free_in_ms FROM callback WHERE task_id = $1`,
    [taskId],
  );
  const row = rows[0];
  return row === undefined
    ? { kind: 'absent' }
    : { kind: 'busy', freeInMs: Math.max(row.free_in_ms ?? 0, 0) };
}
