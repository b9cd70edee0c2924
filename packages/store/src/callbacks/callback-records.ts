// SQL by hand: an attempt and all that follows from it are one statement under the claim.
import type { AttemptClass, StopReason } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { taskPushes, type PushTables } from './push-tables.ts';

export type AttemptTrigger = 'auto' | 'manual';

/** One attempt as the delivery log keeps it. */
export interface CallbackAttempt {
  readonly id: string;
  /** Of the event; null for the challenge. */
  readonly sequence: number | null;
  /** Of this message: 1 for the first. */
  readonly attempt: number;
  /** `manual`: somebody asked for this one. */
  readonly trigger: AttemptTrigger;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly attemptClass: AttemptClass;
  readonly httpStatus: number | null;
  /** For the operator only. */
  readonly remoteAddress: string | null;
  readonly detail: string | null;
  readonly answerExcerpt: string | null;
}

/** What an attempt means for its callback. */
export type CallbackProgress =
  /**
   * Verified, or delivered: failures start from 0 again, and the claim is kept when there is more
   * to push.
   */
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'retry'; readonly failures: number; readonly afterMs: number }
  | { readonly kind: 'stop'; readonly failures: number; readonly reason: StopReason };

export interface RecordAttempt {
  readonly callbackId: string;
  readonly token: string;
  readonly attempt: CallbackAttempt;
  readonly progress: CallbackProgress;
}

/**
 * `more`: written, and something newer is pending under the same claim. `lost`: the claim was, and
 * nothing was written.
 */
export type Recorded = 'lost' | 'done' | 'more';

export interface CallbackRecords {
  /**
   * Writes everything that follows from an attempt in one statement: its row in the log, the push
   * it delivered, the older ones it superseded, and what the callback does next. A redelivery that
   * was asked for while the attempt ran outlives its failure. Safe to repeat with the same attempt
   * id when it is not known whether the statement arrived.
   */
  recordAttempt(record: RecordAttempt): Promise<Recorded>;
  /**
   * The same without the row in the log, for when only that cannot be written: what was delivered
   * must not be sent again for its sake.
   */
  recordUnlogged(record: RecordAttempt): Promise<Recorded>;
}

/**
 * $3 new state or null, $4 reason of a stop, $5 failures, $6 seconds until the retry, $7 attempt
 * id, $8 sequence, $9 trigger. `asked`: a redelivery was asked for since the claim.
 */
const recordSql = (
  { callback, push, key }: PushTables,
  {
    guard,
    log,
    logged,
  }: {
    readonly guard: string;
    readonly log: string;
    readonly logged: string;
  },
): string => `
  WITH held AS (
    SELECT ${key}, manual_at IS NOT NULL AND $9 = 'auto' AS asked FROM ${callback} WHERE ${key} = $1 AND claim_token = $2 ${guard} FOR UPDATE),
  outcome AS (
    SELECT ${key}, asked, CASE WHEN asked AND $3 = 'stopped' THEN NULL ELSE $3 END AS state,
      EXISTS (SELECT 1 FROM ${push} p WHERE p.${key} = $1 AND p.state = 'pending' AND p.sequence > coalesce($8::int, 0)) AS more,
      (SELECT max(p.sequence) FROM ${push} p WHERE p.${key} = $1) AS newest_seen
    FROM held),
  mine AS (
    UPDATE ${callback} c SET state = coalesce(o.state, c.state), stop_reason = CASE WHEN o.state = 'stopped' THEN $4::text END, failures = $5, attempts = attempts + 1,
      challenge = CASE WHEN o.state IS NULL THEN challenge END,
      verified_at = CASE WHEN o.state = 'verified' THEN coalesce(verified_at, now()) ELSE verified_at END,
      manual_at = CASE WHEN CASE WHEN o.state = 'verified' THEN $8 IS NULL ELSE o.asked END THEN manual_at END,
      waiting_since = NULL,
      settled_sequence = CASE WHEN o.state = 'stopped' THEN o.newest_seen WHEN $8::int IS NULL THEN c.settled_sequence WHEN o.state = 'verified' THEN $8 ELSE $8 - 1 END,
      due_at = CASE WHEN NOT o.asked THEN now() + make_interval(secs => $6::float8) END,
      claim_token = CASE WHEN o.state = 'verified' AND o.more THEN claim_token END,
      claimed_until = CASE WHEN o.state = 'verified' AND o.more THEN claimed_until END
    FROM outcome o WHERE c.${key} = o.${key}
    RETURNING c.${key}, c.due_at, o.state AS outcome, o.more),
  next AS (
    SELECT p.${key}, p.sequence, p.sequence IS NOT DISTINCT FROM $8::int AS sent, CASE
      WHEN mine.outcome = 'stopped' THEN 'stopped'
      WHEN p.sequence < $8 THEN 'superseded'
      WHEN p.sequence = $8 AND mine.outcome = 'verified' THEN 'delivered'
      ELSE 'pending' END AS state
    FROM ${push} p JOIN mine USING (${key}) WHERE p.state = 'pending'),
  pushes AS (
    UPDATE ${push} p SET state = next.state, attempts = p.attempts + next.sent::int, settled_at = CASE WHEN next.state <> 'pending' THEN now() END
    FROM next WHERE p.${key} = next.${key} AND p.sequence = next.sequence AND (next.sent OR next.state <> 'pending'))${log}
  SELECT CASE WHEN EXISTS (SELECT 1 FROM mine WHERE outcome = 'verified' AND more) THEN 'more' WHEN EXISTS (SELECT 1 FROM mine) ${logged} THEN 'done' ELSE 'lost' END AS recorded`;

const loggedSql = (tables: PushTables): string =>
  recordSql(tables, {
    guard: `AND NOT EXISTS (SELECT 1 FROM ${tables.attempt} WHERE id = $7)`,
    log: `,
  logged AS (
    INSERT INTO ${tables.attempt} (id, ${tables.key}, sequence, attempt, trigger, started_at, duration_ms, class, http_status, remote_address, detail, answer_excerpt, next_attempt_at)
    SELECT $7, ${tables.key}, $8, $10, $9, $11, $12, $13, $14, $15, $16, $17, due_at FROM mine)`,
    logged: `OR EXISTS (SELECT 1 FROM ${tables.attempt} WHERE id = $7)`,
  });
const unloggedSql = (tables: PushTables): string =>
  recordSql(tables, { guard: 'AND $7::text IS NOT NULL', log: '', logged: '' });

export function createCallbackRecords(
  { pool }: Database,
  tables: PushTables = taskPushes,
): CallbackRecords {
  const logged = { name: `record-${tables.attempt}`, text: loggedSql(tables) };
  const unlogged = { name: `record-${tables.callback}-unlogged`, text: unloggedSql(tables) };
  const write = async (
    statement: { readonly name: string; readonly text: string },
    values: readonly unknown[],
  ): Promise<Recorded> => {
    const { rows } = await pool.query<{ recorded: Recorded }>({
      ...statement,
      values: [...values],
    });
    return rows[0]?.recorded ?? 'lost';
  };
  return {
    recordAttempt: (record) =>
      write(logged, [...commonValues(record), ...logValues(record.attempt)]),
    recordUnlogged: (record) => write(unlogged, commonValues(record)),
  };
}

const commonValues = ({ callbackId, token, attempt, progress }: RecordAttempt): unknown[] => [
  callbackId,
  token,
  ...changesOf(progress),
  attempt.id,
  attempt.sequence,
  attempt.trigger,
];

const logValues = (attempt: CallbackAttempt): unknown[] => [
  attempt.attempt,
  attempt.startedAt,
  attempt.durationMs,
  attempt.attemptClass,
  attempt.httpStatus,
  attempt.remoteAddress,
  attempt.detail,
  attempt.answerExcerpt,
];

type Changes = readonly [
  state: 'verified' | 'stopped' | null,
  stopReason: string | null,
  failures: number,
  retrySeconds: number | null,
];

function changesOf(progress: CallbackProgress): Changes {
  switch (progress.kind) {
    case 'succeeded':
      return ['verified', null, 0, null];
    case 'retry':
      return [null, null, progress.failures, progress.afterMs / 1000];
    case 'stop':
      return ['stopped', progress.reason, progress.failures, null];
  }
}
