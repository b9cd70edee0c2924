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
import { endpointPushes, taskPushes, type PushTables } from './push-tables.ts';

/** Where pushing to the address of a task stands, for those who look for trouble. */
type DeliveryState = RedeliveryBody['state'];

/** The callback of a task, as a list shows it. */
export interface TaskCallback {
  readonly taskId: string;
  readonly accountId: string;
  readonly url: string;
  /** Null: the address is the task's own. */
  readonly endpointId: string | null;
  readonly state: DeliveryState;
  /** Null too where the endpoint was disabled. */
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
  /** Those to this endpoint; undefined: those to the tasks' own addresses. */
  readonly endpointId?: string | undefined;
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
  ofEndpoint: [
    'task_id',
    'endpoint_callback WHERE account_id = $1 AND endpoint_id = $6 AND EXISTS (SELECT 1 FROM endpoint WHERE id = $6)',
  ],
} as const;
type Listed = keyof typeof listedIn;

/** Where one of the listed callbacks goes to, and its own rows. */
interface Kind {
  readonly tables: PushTables;
  readonly url: string;
  readonly endpointId: string;
  readonly joined: string;
}
const toTasks: Kind = {
  tables: taskPushes,
  url: 't.callback_url',
  endpointId: 'NULL::text',
  joined: '',
};
const toEndpoint: Kind = {
  tables: endpointPushes,
  url: 'e.url',
  endpointId: '$6::text',
  joined: 'LEFT JOIN endpoint e ON e.id = $6',
};

const pageSql = (
  listed: Listed,
  { tables: { callback, push, attempt, key }, url, endpointId, joined }: Kind,
  order: 'asc' | 'desc',
): string => {
  const [id, from] = listedIn[listed];
  const own = listed === 'ofEndpoint' ? 'AND c.endpoint_id = $6' : '';
  return `
  WITH listed AS MATERIALIZED (
    SELECT ${id} AS id FROM ${from}
      AND ($4::text IS NULL OR ${id} < $4) AND ($5::text IS NULL OR ${id} > $5)
    ORDER BY ${id} ${order} LIMIT ${mostLookedThrough}),
  matching AS (
    SELECT * FROM (
      SELECT l.id AS "taskId", ${stateSql} AS state, nullif(c.stop_reason, 'disabled') AS "stopReason", c.failures, c.due_at, c.${key} AS key
      FROM listed l JOIN ${callback} c ON c.task_id = l.id ${own}) each
    WHERE $3::text IS NULL OR state = $3 ORDER BY "taskId" ${order} LIMIT $2)
  SELECT m."taskId", t.account_id AS "accountId", ${url} AS url, ${endpointId} AS "endpointId", m.state, m."stopReason", m.failures, p.pending AS "pendingPushes",
    CASE WHEN p.pending > 0 AND m.due_at > now() THEN m.due_at END AS "nextAttemptAt",
    a.started_at AS "lastAttemptAt", a.class AS "lastClass", a.http_status AS "lastHttpStatus", l.looked, l.newest, l.oldest
  FROM (SELECT count(*)::int AS looked, max(id) AS newest, min(id) AS oldest FROM listed) l LEFT JOIN matching m ON true
    LEFT JOIN task t ON t.id = m."taskId" ${joined}
    LEFT JOIN LATERAL (SELECT count(*)::int AS pending FROM ${push} WHERE ${key} = m.key AND state = 'pending') p ON true
    LEFT JOIN LATERAL (SELECT * FROM ${attempt} WHERE ${key} = m.key ORDER BY started_at DESC LIMIT 1) a ON true
  ORDER BY m."taskId" ${order}`;
};

export function createTaskCallbacks({ pool }: Database): TaskCallbacks {
  const read = async (
    listed: Listed,
    {
      accountId,
      endpointId,
      limit,
      after,
      before,
      state,
    }: AllCallbacksQuestion & Pick<TaskCallbackQuestion, 'endpointId'>,
  ): Promise<LookedThrough<TaskCallback>> => {
    const order = isBackwards({ after, before }) ? 'asc' : 'desc';
    const values = [accountId ?? null, limit + 1, state ?? null, after ?? null, before ?? null];
    const kind = endpointId === undefined ? toTasks : toEndpoint;
    const { rows } = await pool.query<Row>(
      pageSql(listed, kind, order),
      endpointId === undefined ? values : [...values, endpointId],
    );
    const idOf = ({ taskId }: { readonly taskId: string | null }) => taskId;
    const page = lookedThrough(rows, { limit, after, before, most: mostLookedThrough, idOf });
    return { ...page, items: page.items.map(callbackOf) };
  };
  return {
    page: (question) =>
      read(question.endpointId === undefined ? 'ofAccount' : 'ofEndpoint', question),
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
