// SQL by hand: see claim-statements.ts.
import type { Task } from '@gateway/contracts';
import type { TaskStatus } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { claimStatements, type ClaimStatements } from './claim-statements.ts';
import { createDueCallbacks, type DueCallbacks } from './due-callbacks.ts';
import { taskPushes, type PushTables } from './push-tables.ts';
import { toTask, type TaskRow } from '../tasks/task-row.ts';

export type CallbackState = 'unverified' | 'verified' | 'stopped';

/** A callback as its claimant sees it; it is named by its task, or by `<task>.<endpoint>`. */
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
  readonly callbackId: string;
  /** Of this claim. Every later write names it, so that whoever lost the claim changes nothing. */
  readonly token: string;
  readonly forMs: number;
  /** Becomes the challenge of an unverified callback that has none. */
  readonly newChallenge: string;
}

interface DeferRequest {
  readonly callbackId: string;
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
  /** Null: the endpoint was disabled or removed. */
  readonly url: string | null;
  /** Null: the address is the task's own. */
  readonly endpointId: string | null;
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
  release(callbackId: string, token: string): Promise<void>;
  /**
   * The same, and has it wait for its receiver, which has as much in flight as it may have. It keeps
   * its position there, and is not due until somebody claims it again.
   */
  defer(request: DeferRequest): Promise<void>;
  /**
   * Marks what is still pending as stopped, and gives the claim back: for events that arrived after
   * pushing had stopped.
   */
  stopPending(callbackId: string, token: string): Promise<void>;
  /**
   * Stops a callback whose endpoint was disabled or removed, or whose task was deleted, with all that is
   * pending, and gives the claim back. The next event of the task begins it anew if the endpoint is
   * active again.
   */
  abandon(callbackId: string, token: string): Promise<void>;
}

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
  push_url: string | null;
  endpoint_id: string | null;
  pending_pushes: PendingPush[];
  signing_secrets: string[];
}

/** What the columns of a task are when it was deleted. */
interface NoTask {
  id: null;
}

export function createCallbacks(database: Database, tables: PushTables = taskPushes): Callbacks {
  const sql = claimStatements(tables);
  return {
    ...createDueCallbacks(database.pool, tables),
    ...claims(database, tables, sql),
    ...writes(database, tables, sql),
  };
}

function claims(
  { pool, seal }: Database,
  tables: PushTables,
  sql: ClaimStatements,
): Pick<Callbacks, 'claim'> {
  const { callback: table } = tables;
  const snapshotOf = (row: SnapshotRow): CallbackSnapshot => ({
    task: toTask(row),
    pending: row.pending_pushes,
    secrets: row.signing_secrets.map((secret) => seal.open(secret, row.account_id)),
    url: row.push_url,
    endpointId: row.endpoint_id,
  });
  const readAgain = async (callbackId: string): Promise<CallbackSnapshot | undefined> => {
    const { rows } = await pool.query<SnapshotRow>({
      name: `${table}-snapshot`,
      text: sql.snapshot,
      values: [callbackId],
    });
    return rows[0] && snapshotOf(rows[0]);
  };
  return {
    async claim({ callbackId, token, forMs, newChallenge }) {
      const { rows } = await pool.query<ClaimedRow & (SnapshotRow | NoTask)>({
        name: `claim-${table}`,
        text: sql.claim,
        values: [callbackId, token, forMs / 1000, newChallenge],
      });
      const row = rows[0];
      if (row === undefined) return whyNotClaimed(pool, tables, callbackId);
      const callback = {
        state: row.state,
        failures: row.failures,
        challenge: row.challenge,
        dueInMs: row.due_in_ms,
        manual: row.manual,
        heldBackMs: row.held_back_ms,
      };
      if (!row.is_current) {
        return { kind: 'claimed', callback, snapshot: await readAgain(callbackId) };
      }
      return { kind: 'claimed', callback, snapshot: row.id === null ? undefined : snapshotOf(row) };
    },
  };
}

type Writes = Pick<Callbacks, 'release' | 'defer' | 'stopPending' | 'abandon'>;

function writes({ pool }: Database, { callback: table }: PushTables, sql: ClaimStatements): Writes {
  return {
    async release(callbackId, token) {
      await pool.query({
        name: `release-${table}`,
        text: sql.release,
        values: [callbackId, token],
      });
    },
    async defer({ callbackId, token, receiver }) {
      // A redelivery that was asked for meanwhile waits with the rest: its receiver is just as
      // busy.
      await pool.query({
        name: `defer-${table}`,
        text: sql.defer,
        values: [callbackId, token, receiver],
      });
    },
    async stopPending(callbackId, token) {
      await pool.query(sql.stopPending, [callbackId, token]);
    },
    async abandon(callbackId, token) {
      await pool.query(sql.abandon, [callbackId, token]);
    },
  };
}

async function whyNotClaimed(
  pool: Database['pool'],
  { callback, key }: PushTables,
  callbackId: string,
): Promise<CallbackClaim> {
  const { rows } = await pool.query<{ free_in_ms: number | null }>(
    `SELECT ceil(extract(epoch FROM claimed_until - now()) * 1000)::int AS free_in_ms FROM ${callback} WHERE ${key} = $1`,
    [callbackId],
  );
  const row = rows[0];
  return row === undefined
    ? { kind: 'absent' }
    : { kind: 'busy', freeInMs: Math.max(row.free_in_ms ?? 0, 0) };
}
