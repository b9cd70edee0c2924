// SQL by hand for the summary, which tells the time by the database's clock, for the log, which has two
// tables, and for the redelivery, which locks the callback.
import type { AttemptClass, StopReason, TaskStatus } from '@gateway/domain';
import { archivedRows } from '../data/archived-tasks.ts';
import type { AttemptTrigger } from './callback-records.ts';
import { inTransaction, type Database } from '../database/database.ts';
import { readPage, type Page, type PageCursors, type PageRead } from '../database/page.ts';
import { endpointPushes, tablesOf, taskPushes, type PushTables } from './push-tables.ts';

/** Where a task's callback stands. */
export interface CallbackSummary {
  readonly state: 'unverified' | 'verified' | 'stopped';
  /** Null too where the endpoint was disabled or removed. */
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

/** Where pushing a task to one endpoint stands. */
export interface EndpointSummary extends CallbackSummary {
  readonly endpointId: string;
  /** Null: the endpoint was removed. */
  readonly url: string | null;
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
  /** Null: it went to the task's own address. */
  readonly endpointId: string | null;
}

export interface AttemptsQuestion extends PageCursors {
  readonly taskId: string;
}

export interface CallbackDeliveries {
  /** Undefined for a task without a callback. All three read the archive where they find nothing. */
  summary(taskId: string): Promise<CallbackSummary | undefined>;
  /** Of all endpoints that something of the task was for. */
  endpointSummaries(taskId: string): Promise<EndpointSummary[]>;
  attempts(question: AttemptsQuestion): Promise<Page<LoggedAttempt>>;
  /**
   * Has the newest status pushed once more, as soon as possible. After a stop, pushing starts
   * again, with the challenge if it was never echoed. What was stopped or superseded before the
   * newest status stays so: a receiver never sees an older status after a newer one. Returns false
   * where there is no such callback. Idempotent.
   */
  redeliver(callbackId: string): Promise<boolean>;
  /** The same to the task's own address and to every endpoint that it was pushed to. */
  redeliverTask(taskId: string): Promise<boolean>;
}

interface SummaryRow extends Omit<EndpointSummary, 'lastAttempt'> {
  readonly lastStartedAt: Date | null;
  readonly lastClass: AttemptClass;
  readonly lastHttpStatus: number | null;
}

/** `whose`: columns that say where to, each with a comma behind it. */
const summarySql = (
  { callback, push, attempt, key }: PushTables,
  whose = '',
  joined = '',
): string => `
  SELECT ${whose} c.state, nullif(c.stop_reason, 'disabled') AS "stopReason", c.verified_at AS "verifiedAt", c.failures,
    p."pendingPushes", p."deliveredSequence", CASE WHEN p."pendingPushes" > 0 AND c.due_at > now() THEN c.due_at END AS "nextAttemptAt",
    a.started_at AS "lastStartedAt", a.class AS "lastClass", a.http_status AS "lastHttpStatus"
  FROM ${callback} c ${joined},
    LATERAL (
      SELECT count(*) FILTER (WHERE state = 'pending')::int AS "pendingPushes", max(sequence) FILTER (WHERE state = 'delivered') AS "deliveredSequence"
      FROM ${push} WHERE ${key} = c.${key}) p
    LEFT JOIN LATERAL (SELECT * FROM ${attempt} WHERE ${key} = c.${key} ORDER BY id COLLATE "C" DESC LIMIT 1) a ON true
  WHERE c.task_id = $1 ORDER BY c.${key}`;

const ofTaskSql = summarySql(taskPushes);
const ofEndpointsSql = summarySql(
  endpointPushes,
  'c.endpoint_id AS "endpointId", e.url,',
  'LEFT JOIN endpoint e ON e.id = c.endpoint_id',
);

const attemptColumns = `a.id, a.sequence, p.status, a.attempt, a.trigger, a.started_at AS "startedAt", a.duration_ms AS "durationMs", a.class AS "attemptClass",
    a.http_status AS "httpStatus", a.remote_address AS "remoteAddress", a.detail, a.answer_excerpt AS "answerExcerpt", a.next_attempt_at AS "nextAttemptAt"`;
const attemptsSql = `
  SELECT * FROM (
    SELECT ${attemptColumns}, NULL::text AS "endpointId" FROM callback_attempt a LEFT JOIN callback_push p USING (task_id, sequence) WHERE task_id = $1
    UNION ALL
    SELECT ${attemptColumns}, c.endpoint_id FROM endpoint_callback c JOIN endpoint_attempt a USING (callback_id) LEFT JOIN endpoint_push p USING (callback_id, sequence) WHERE c.task_id = $1) a
  WHERE ($2::text IS NULL OR id COLLATE "C" < $2) AND ($3::text IS NULL OR id COLLATE "C" > $3)
  ORDER BY CASE WHEN $4 THEN id END COLLATE "C" ASC, id COLLATE "C" DESC LIMIT $5`;

const ofArchivedTask = `WITH ${archivedRows('callback', 'callback_push', 'callback_attempt', 'endpoint_callback', 'endpoint_push', 'endpoint_attempt')}`;

const requeueSql = ({ push, key }: PushTables): string => `
  UPDATE ${push} SET state = 'pending', settled_at = NULL
  WHERE ${key} = $1 AND state <> 'pending' AND sequence = (SELECT max(sequence) FROM ${push} WHERE ${key} = $1)`;

const requestSql = ({ callback, push, key }: PushTables): string => `
  UPDATE ${callback} c SET manual_at = now(), due_at = NULL, waiting_for = NULL, waiting_since = NULL, stop_reason = NULL,
    state = CASE WHEN c.state <> 'stopped' THEN c.state WHEN verified_at IS NULL THEN 'unverified' ELSE 'verified' END,
    account_id = t.account_id, newest_sequence = p.newest, settled_sequence = least(settled_sequence, p.newest - 1)
  FROM task t, (SELECT max(sequence) AS newest FROM ${push} WHERE ${key} = $1) p
  WHERE c.${key} = $1 AND t.id = c.task_id
  RETURNING c.task_id, c.account_id`;

/** Who asks for a redelivery, if that is noted: a CTE over the row of `asked`, and what it takes from `$2` on. */
export interface NotedRequest {
  readonly cte: string;
  readonly values: readonly string[];
}

/** As `redeliver` says; noted in the statement that asks for it. */
export const requestRedelivery = (
  { pool }: Pick<Database, 'pool'>,
  callbackId: string,
  noted?: NotedRequest,
): Promise<boolean> =>
  inTransaction(pool, async (client) => {
    const tables = tablesOf(callbackId);
    // Every delivery starts and ends at this row: while it is locked, nothing can be delivered
    // and the newest push stays the newest.
    const { rowCount } = await client.query(
      `SELECT 1 FROM ${tables.callback} WHERE ${tables.key} = $1 FOR UPDATE`,
      [callbackId],
    );
    if (rowCount !== 1) return false;
    await client.query(requeueSql(tables), [callbackId]);
    const more = noted === undefined ? '' : `, ${noted.cte}`;
    await client.query(`WITH asked AS (${requestSql(tables)})${more} SELECT task_id FROM asked`, [
      callbackId,
      ...(noted?.values ?? []),
    ]);
    return true;
  });

/** As `redeliverTask` says; noted for each address. */
export async function requestRedeliveries(
  { pool }: Pick<Database, 'pool'>,
  taskId: string,
  noted?: NotedRequest,
): Promise<boolean> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT callback_id AS id FROM endpoint_callback WHERE task_id = $1 ORDER BY callback_id',
    [taskId],
  );
  let asked = await requestRedelivery({ pool }, taskId, noted);
  for (const { id } of rows) asked = (await requestRedelivery({ pool }, id, noted)) || asked;
  return asked;
}

export function createCallbackDeliveries(database: Database): CallbackDeliveries {
  const { pool } = database;
  const read = async (sql: string, taskId: string): Promise<EndpointSummary[]> => {
    const { rows } = await pool.query<SummaryRow>(sql, [taskId]);
    return rows.map(summaryOf);
  };
  const readEither = async (sql: string, taskId: string): Promise<EndpointSummary[]> => {
    const found = await read(sql, taskId);
    return found.length > 0 ? found : read(`${ofArchivedTask} ${sql}`, taskId);
  };
  return {
    summary: async (taskId) => (await readEither(ofTaskSql, taskId))[0],
    endpointSummaries: (taskId) => readEither(ofEndpointsSql, taskId),
    attempts: (question) => readAttempts(pool, question),
    redeliver: (callbackId) => requestRedelivery(database, callbackId),
    redeliverTask: (taskId) => requestRedeliveries(database, taskId),
  };
}

const summaryOf = ({
  lastStartedAt,
  lastClass,
  lastHttpStatus,
  ...summary
}: SummaryRow): EndpointSummary => ({
  ...summary,
  lastAttempt:
    lastStartedAt === null
      ? null
      : { startedAt: lastStartedAt, attemptClass: lastClass, httpStatus: lastHttpStatus },
});

async function readAttempts(
  pool: Database['pool'],
  { taskId, ...cursors }: AttemptsQuestion,
): Promise<Page<LoggedAttempt>> {
  const readFrom = (sql: string): Promise<Page<LoggedAttempt>> =>
    readPage(cursors, async ({ ids, order, take }: PageRead<string>) => {
      const values = [taskId, ids.lt ?? null, ids.gt ?? null, order === 'asc', take];
      return (await pool.query<LoggedAttempt>(sql, values)).rows;
    });
  const page = await readFrom(attemptsSql);
  return page.items.length > 0 ? page : readFrom(`${ofArchivedTask} ${attemptsSql}`);
}
