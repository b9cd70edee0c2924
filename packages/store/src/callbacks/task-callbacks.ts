// SQL by hand: a page of an indexed list is looked through in the statement that reads it.
import type { RedeliveryBody } from '@gateway/contracts';
import type { AttemptClass, StopReason } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import {
  isBackwards,
  lookedThrough,
  type Looked,
  type LookedThrough,
} from '../database/looked-through.ts';
import type { PageCursors } from '../database/page.ts';

/** Where pushing to the address of a task stands, for those who look for trouble. */
type DeliveryState = RedeliveryBody['state'];

/** The callback of a task, as a list shows it. */
export interface TaskCallback {
  readonly taskId: string;
  readonly accountId: string;
  readonly url: string;
  readonly state: DeliveryState;
  readonly stopReason: StopReason | null;
  /** Failed attempts in a row. */
  readonly failures: number;
  readonly pendingPushes: number;
  readonly nextAttemptAt: Date | null;
  readonly lastAttemptAt: Date | null;
  readonly lastClass: AttemptClass | null;
  readonly lastHttpStatus: number | null;
}

export interface TaskCallbackQuestion extends PageCursors {
  readonly accountId: string;
  readonly state?: DeliveryState | undefined;
}

export interface AllCallbacksQuestion extends PageCursors {
  /** Undefined: of all. */
  readonly accountId?: string | undefined;
  readonly state?: DeliveryState | undefined;
}

export interface TaskCallbacks {
  /**
   * Callbacks of an account's tasks, newest task first. Looks through so many tasks and no more;
   * archived ones have nothing that is still delivered, and are left out.
   */
  page(question: TaskCallbackQuestion): Promise<LookedThrough<TaskCallback>>;
  /**
   * For operators: of one account as `page` has them; of all accounts with those of deleted tasks whose
   * rows still exist, and failing and stopped ones looked for only among callbacks in trouble.
   */
  pageOfAll(question: AllCallbacksQuestion): Promise<LookedThrough<TaskCallback>>;
}

/** Of one page: each is looked up by itself. */
const mostLookedThrough = 100;

const stateSql = `
  CASE WHEN c.state = 'stopped' THEN 'stopped' WHEN c.settled_sequence >= c.newest_sequence AND c.manual_at IS NULL THEN 'delivered'
    WHEN c.failures > 0 THEN 'failing' ELSE 'pending' END`;

type Row = TaskCallback & Looked;

/**
 * The tasks that a page looks through, and the name of their id there. Of all accounts `$1` is null, and
 * named all the same: PostgreSQL wants a type for each parameter.
 */
const listedIn = {
  ofAccount: ['id', 'task WHERE account_id = $1 AND deleted_at IS NULL'],
  ofAll: ['task_id', 'callback WHERE $1::text IS NULL'],
  /** In the words of callback_troubled_idx. */
  troubled: ['task_id', `callback WHERE $1::text IS NULL AND (state = 'stopped' OR failures > 0)`],
} as const;
type Listed = keyof typeof listedIn;

const pageSql = ([id, from]: (typeof listedIn)[Listed], order: 'asc' | 'desc'): string => `
  WITH listed AS MATERIALIZED (
    SELECT ${id} AS id FROM ${from}
      AND ($4::text IS NULL OR ${id} < $4) AND ($5::text IS NULL OR ${id} > $5)
    ORDER BY ${id} ${order} LIMIT ${mostLookedThrough}),
  matching AS (
    SELECT * FROM (
      SELECT l.id AS "taskId", ${stateSql} AS state, c.stop_reason AS "stopReason", c.failures, c.due_at
      FROM listed l JOIN callback c ON c.task_id = l.id) each
    WHERE $3::text IS NULL OR state = $3 ORDER BY "taskId" ${order} LIMIT $2)
  SELECT m."taskId", t.account_id AS "accountId", t.callback_url AS url, m.state, m."stopReason", m.failures, p.pending AS "pendingPushes",
    CASE WHEN p.pending > 0 AND m.due_at > now() THEN m.due_at END AS "nextAttemptAt",
    a.started_at AS "lastAttemptAt", a.class AS "lastClass", a.http_status AS "lastHttpStatus", l.looked, l.newest, l.oldest
  FROM (SELECT count(*)::int AS looked, max(id) AS newest, min(id) AS oldest FROM listed) l LEFT JOIN matching m ON true
    LEFT JOIN task t ON t.id = m."taskId"
    LEFT JOIN LATERAL (SELECT count(*)::int AS pending FROM callback_push WHERE task_id = m."taskId" AND state = 'pending') p ON true
    LEFT JOIN LATERAL (SELECT * FROM callback_attempt WHERE task_id = m."taskId" ORDER BY started_at DESC LIMIT 1) a ON true
  ORDER BY m."taskId" ${order}`;

export function createTaskCallbacks({ pool }: Database): TaskCallbacks {
  const read = async (
    listed: Listed,
    { accountId, limit, after, before, state }: AllCallbacksQuestion,
  ): Promise<LookedThrough<TaskCallback>> => {
    const order = isBackwards({ after, before }) ? 'asc' : 'desc';
    const values = [accountId ?? null, limit + 1, state ?? null, after ?? null, before ?? null];
    const { rows } = await pool.query<Row>(pageSql(listedIn[listed], order), values);
    const idOf = ({ taskId }: { readonly taskId: string | null }) => taskId;
    const page = lookedThrough(rows, { limit, after, before, most: mostLookedThrough, idOf });
    return { ...page, items: page.items.map(callbackOf) };
  };
  return {
    page: (question) => read('ofAccount', question),
    pageOfAll: (question) => read(listedFor(question), question),
  };
}

function listedFor({ accountId, state }: AllCallbacksQuestion): Listed {
  if (accountId !== undefined) return 'ofAccount';
  return state === 'failing' || state === 'stopped' ? 'troubled' : 'ofAll';
}

const callbackOf = ({
  looked: _looked,
  newest: _newest,
  oldest: _oldest,
  ...callback
}: Row): TaskCallback => callback;
