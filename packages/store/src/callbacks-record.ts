import type { AttemptClass, StopReason } from '@gateway/domain';
import type { Database } from './database.ts';

/** One attempt as the delivery log keeps it. */
export interface CallbackAttempt {
  readonly id: string;
  /** Of the event; null for the challenge. */
  readonly sequence: number | null;
  /** Of this message: 1 for the first. */
  readonly attempt: number;
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
  /** Verified, or delivered: failures begin anew and the claim is kept for the next look. */
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'retry'; readonly failures: number; readonly afterMs: number }
  | { readonly kind: 'stop'; readonly failures: number; readonly reason: StopReason };

export interface RecordAttempt {
  readonly taskId: string;
  readonly token: string;
  readonly attempt: CallbackAttempt;
  readonly progress: CallbackProgress;
}

export interface CallbackRecords {
  /**
   * Writes everything that follows from an attempt in one statement: its row in the log, the push it delivered, the older
   * ones it superseded, and what the callback does next. Answers false when the claim was lost: nothing was written then.
   * Safe to repeat with the same attempt id when it is not known whether the statement arrived.
   */
  recordAttempt(record: RecordAttempt): Promise<boolean>;
}

/** $3 new state or null, $4 reason of a stop, $5 failures, $6 seconds until the retry, $7 attempt id, $8 sequence. */
const recordSql = `
  WITH mine AS (
    UPDATE callback SET state = coalesce($3, state), stop_reason = $4::text, failures = $5, attempts = attempts + 1,
      challenge = CASE WHEN $3 IS NULL THEN challenge END,
      due_at = now() + make_interval(secs => $6::float8),
      claim_token = CASE WHEN $3 = 'verified' THEN claim_token END,
      claimed_until = CASE WHEN $3 = 'verified' THEN claimed_until END
    WHERE task_id = $1 AND claim_token = $2 AND NOT EXISTS (SELECT 1 FROM callback_attempt WHERE id = $7)
    RETURNING task_id, due_at),
  next AS (
    SELECT p.task_id, p.sequence, p.sequence IS NOT DISTINCT FROM $8::int AS sent, CASE
      WHEN $3 = 'stopped' THEN 'stopped'
      WHEN p.sequence < $8 THEN 'superseded'
      WHEN p.sequence = $8 AND $3 = 'verified' THEN 'delivered'
      ELSE 'pending' END AS state
    FROM callback_push p JOIN mine USING (task_id) WHERE p.state = 'pending'),
  pushes AS (
    UPDATE callback_push p SET state = next.state, attempts = p.attempts + next.sent::int, settled_at = CASE WHEN next.state <> 'pending' THEN now() END
    FROM next WHERE p.task_id = next.task_id AND p.sequence = next.sequence AND (next.sent OR next.state <> 'pending')),
  logged AS (
    INSERT INTO callback_attempt (id, task_id, sequence, attempt, started_at, duration_ms, class, http_status, remote_address, detail, answer_excerpt, next_attempt_at)
    SELECT $7, task_id, $8, $9, $10, $11, $12, $13, $14, $15, $16, due_at FROM mine)
  SELECT EXISTS (SELECT 1 FROM mine) OR EXISTS (SELECT 1 FROM callback_attempt WHERE id = $7) AS recorded`;

export function createCallbackRecords({ pool }: Database): CallbackRecords {
  return {
    async recordAttempt({ taskId, token, attempt, progress }) {
      const { rows } = await pool.query<{ recorded: boolean }>({
        name: 'record-callback-attempt',
        text: recordSql,
        values: [
          taskId, token, ...changesOf(progress), attempt.id, attempt.sequence, attempt.attempt, attempt.startedAt, attempt.durationMs,
          attempt.attemptClass, attempt.httpStatus, attempt.remoteAddress, attempt.detail, attempt.answerExcerpt,
        ],
      });
      return rows[0]?.recorded === true;
    },
  };
}

type Changes = readonly [state: 'verified' | 'stopped' | null, stopReason: string | null, failures: number, retrySeconds: number | null];

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
