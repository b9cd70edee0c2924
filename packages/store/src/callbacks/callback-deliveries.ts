// SQL by hand for the summary, which tells the time by the database's clock, and for the
// redelivery, which locks the callback; the log goes through Prisma.
import type { AttemptClass, StopReason, TaskStatus } from '@gateway/domain';
import { archivedRows } from '../data/archived-tasks.ts';
import type { AttemptTrigger } from './callback-records.ts';
import { inTransaction, type Database } from '../database/database.ts';
import { mapPage, readPage, type Page, type PageCursors, type PageRead } from '../database/page.ts';

/** Where a task's callback stands. */
export interface CallbackSummary {
  readonly state: 'unverified' | 'verified' | 'stopped';
  readonly stopReason: StopReason | null;
  readonly verifiedAt: Date | null;
  /** Failed attempts in a row. */
  readonly failures: number;
  readonly pendingPushes: number;
  /** Of the newest event that was delivered. */
  readonly deliveredSequence: number | null;
  readonly nextAttemptAt: Date | null;
  readonly lastAttempt: {
    readonly startedAt: Date;
    readonly attemptClass: AttemptClass;
    readonly httpStatus: number | null;
  } | null;
}

/** A row of the delivery log. */
export interface LoggedAttempt {
  /** Grows with time; a cursor. */
  readonly id: string;
  /** Of the event; null for the challenge. */
  readonly sequence: number | null;
  /** Of the event; null for the challenge. */
  readonly status: TaskStatus | null;
  readonly attempt: number;
  readonly trigger: AttemptTrigger;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly attemptClass: AttemptClass;
  readonly httpStatus: number | null;
  /** For the operator only. */
  readonly remoteAddress: string | null;
  readonly detail: string | null;
  readonly answerExcerpt: string | null;
  readonly nextAttemptAt: Date | null;
}

export interface AttemptsQuestion extends PageCursors {
  readonly taskId: string;
}

export interface CallbackDeliveries {
  /** Undefined for a task without a callback. Both read the archive where they find nothing. */
  summary(taskId: string): Promise<CallbackSummary | undefined>;
  attempts(question: AttemptsQuestion): Promise<Page<LoggedAttempt>>;
  /**
   * Has the newest status pushed once more, as soon as possible. After a stop, pushing starts
   * again, with the challenge if it was never echoed. What was stopped or superseded before the
   * newest status stays so: a receiver never sees an older status after a newer one. Returns false
   * for a task without a callback. Idempotent.
   */
  redeliver(taskId: string): Promise<boolean>;
}

interface SummaryRow extends Omit<CallbackSummary, 'lastAttempt'> {
  readonly lastStartedAt: Date | null;
  readonly lastClass: AttemptClass;
  readonly lastHttpStatus: number | null;
}

const summarySql = `
  SELECT c.state, c.stop_reason AS "stopReason", c.verified_at AS "verifiedAt", c.failures,
    count(p.sequence) FILTER (WHERE p.state = 'pending')::int AS "pendingPushes",
    max(p.sequence) FILTER (WHERE p.state = 'delivered') AS "deliveredSequence",
    CASE WHEN count(p.sequence) FILTER (WHERE p.state = 'pending') > 0 AND c.due_at > now() THEN c.due_at END AS "nextAttemptAt",
    a.started_at AS "lastStartedAt", a.class AS "lastClass", a.http_status AS "lastHttpStatus"
  FROM callback c LEFT JOIN callback_push p USING (task_id)
    LEFT JOIN LATERAL (SELECT * FROM callback_attempt WHERE task_id = c.task_id ORDER BY id COLLATE "C" DESC LIMIT 1) a ON true
  WHERE c.task_id = $1
  GROUP BY c.task_id, c.state, c.stop_reason, c.verified_at, c.failures, c.due_at, a.started_at, a.class, a.http_status`;

const archivedSummarySql = `WITH ${archivedRows('callback', 'callback_push', 'callback_attempt')} ${summarySql}`;
const archivedAttemptsSql = `
  WITH ${archivedRows('callback_push', 'callback_attempt')}
  SELECT a.id, a.sequence, p.status, a.attempt, a.trigger, a.started_at AS "startedAt", a.duration_ms AS "durationMs", a.class AS "attemptClass", a.http_status AS "httpStatus",
    a.remote_address AS "remoteAddress", a.detail, a.answer_excerpt AS "answerExcerpt", a.next_attempt_at AS "nextAttemptAt", a.serial
  FROM callback_attempt a LEFT JOIN callback_push p ON p.sequence = a.sequence
  WHERE ($2::text IS NULL OR a.id COLLATE "C" < $2) AND ($3::text IS NULL OR a.id COLLATE "C" > $3)
  ORDER BY CASE WHEN $4 THEN a.id END COLLATE "C" ASC, a.id COLLATE "C" DESC LIMIT $5`;

const requeueSql = `
  UPDATE callback_push SET state = 'pending', settled_at = NULL
  WHERE task_id = $1 AND state <> 'pending' AND sequence = (SELECT max(sequence) FROM callback_push WHERE task_id = $1)`;

const requestSql = `
  UPDATE callback c SET manual_at = now(), due_at = NULL, waiting_for = NULL, waiting_since = NULL, stop_reason = NULL,
    state = CASE WHEN c.state <> 'stopped' THEN c.state WHEN verified_at IS NULL THEN 'unverified' ELSE 'verified' END,
    account_id = t.account_id, newest_sequence = p.newest, settled_sequence = least(settled_sequence, p.newest - 1)
  FROM task t, (SELECT max(sequence) AS newest FROM callback_push WHERE task_id = $1) p
  WHERE c.task_id = $1 AND t.id = $1
  RETURNING c.task_id, c.account_id`;

/** Who asks for a redelivery, if that is noted: a CTE over the row of `asked`, and what it takes from `$2` on. */
export interface NotedRequest {
  readonly cte: string;
  readonly values: readonly string[];
}

/** As `redeliver` says; noted in the statement that asks for it. */
export const requestRedelivery = (
  { pool }: Pick<Database, 'pool'>,
  taskId: string,
  noted?: NotedRequest,
): Promise<boolean> =>
  inTransaction(pool, async (client) => {
    // Every delivery starts and ends at this row: while it is locked, nothing can be delivered
    // and the newest push stays the newest.
    const { rowCount } = await client.query(
      'SELECT 1 FROM callback WHERE task_id = $1 FOR UPDATE',
      [taskId],
    );
    if (rowCount !== 1) return false;
    await client.query(requeueSql, [taskId]);
    const more = noted === undefined ? '' : `, ${noted.cte}`;
    await client.query(`WITH asked AS (${requestSql})${more} SELECT task_id FROM asked`, [
      taskId,
      ...(noted?.values ?? []),
    ]);
    return true;
  });

export function createCallbackDeliveries(database: Database): CallbackDeliveries {
  const { pool } = database;
  return {
    async summary(taskId) {
      const { rows } = await pool.query<SummaryRow>(summarySql, [taskId]);
      const row = rows[0] ?? (await pool.query<SummaryRow>(archivedSummarySql, [taskId])).rows[0];
      if (row === undefined) return undefined;
      const { lastStartedAt, lastClass, lastHttpStatus, ...summary } = row;
      return {
        ...summary,
        lastAttempt:
          lastStartedAt === null
            ? null
            : { startedAt: lastStartedAt, attemptClass: lastClass, httpStatus: lastHttpStatus },
      };
    },
    attempts: (question) => readAttempts(database, question),
    redeliver: (taskId) => requestRedelivery(database, taskId),
  };
}

async function readAttempts(
  database: Database,
  { taskId, ...cursors }: AttemptsQuestion,
): Promise<Page<LoggedAttempt>> {
  const prisma = await database.prisma();
  const page = await readPage(cursors, ({ ids, order, take }) =>
    prisma.callbackAttempt.findMany({
      where: { taskId, id: ids },
      omit: { taskId: true },
      orderBy: { id: order },
      take,
    }),
  );
  const pushes = await prisma.callbackPush.findMany({
    where: { taskId },
    select: { sequence: true, status: true },
  });
  if (pushes.length === 0) return readArchivedAttempts(database.pool, taskId, cursors);
  const statuses = new Map(pushes.map(({ sequence, status }) => [sequence, status as TaskStatus]));
  const statusOf = (sequence: number | null): TaskStatus | null =>
    (sequence === null ? undefined : statuses.get(sequence)) ?? null;
  return mapPage(page, (attempt) => ({
    ...attempt,
    trigger: attempt.trigger as AttemptTrigger,
    attemptClass: attempt.attemptClass as AttemptClass,
    status: statusOf(attempt.sequence),
  }));
}

const readArchivedAttempts = (
  pool: Database['pool'],
  taskId: string,
  cursors: PageCursors,
): Promise<Page<LoggedAttempt>> =>
  readPage(cursors, async ({ ids, order, take }: PageRead<string>) => {
    const values = [taskId, ids.lt ?? null, ids.gt ?? null, order === 'asc', take];
    return (await pool.query<LoggedAttempt>(archivedAttemptsSql, values)).rows;
  });
