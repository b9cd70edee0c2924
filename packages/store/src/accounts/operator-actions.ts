// SQL by hand: what an operator changes and who did it are one statement.
import type { Task } from '@gateway/contracts';
import { requestRedeliveries, requestRedelivery } from '../callbacks/callback-deliveries.ts';
import type { Database } from '../database/database.ts';
import { readPage, type Page, type PageCursors } from '../database/page.ts';
import {
  endUnsubmitted,
  endUnsubmittedSql,
  requestCancel,
  requestCancelSql,
} from '../tasks/task-endings.ts';

export const operatorActionKinds = [
  'account.change',
  'key.change',
  'task.cancel',
  'callback.redeliver',
] as const;

/** One entry of the journal of what operators did to accounts, keys, tasks and callbacks. */
export interface OperatorAction {
  readonly id: number;
  readonly at: Date;
  /** How an operator did it. */
  readonly via: 'api' | 'command';
  readonly action: (typeof operatorActionKinds)[number];
  readonly accountId: string;
  /** The id of what was changed. */
  readonly subject: string;
  /** What was asked for, in the words of the HTTP route. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** What is left out stays as it is. */
export interface AccountChanges {
  readonly name?: string | undefined;
  /** Suspending twice keeps the first time. From when it is true the account begins no new work. */
  readonly suspended?: boolean | undefined;
  /** Unfinished videos that it may have; null: as the configuration says. */
  readonly activeVideosLimit?: number | null | undefined;
}

/** What is left out stays as it is. */
export interface KeyChanges {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Empty: every model. */
  readonly models?: readonly string[] | undefined;
  /** Null: the configuration's default. */
  readonly requestsPerMinute?: number | null | undefined;
}

export interface OperatorActions {
  /** False when there is no such account. */
  changeAccount(accountId: string, changes: AccountChanges): Promise<boolean>;
  /** False when there is no such key, or it is revoked. */
  changeKey(keyId: string, changes: KeyChanges): Promise<boolean>;
  /** As a customer's cancellation of a task that no vendor was asked for; undefined when it is not such a task. */
  cancelUnsubmitted(taskId: string, accountId: string): Promise<Task | undefined>;
  /** As a customer's cancel request; undefined when it is too late. */
  requestCancel(taskId: string, accountId: string): Promise<Task | undefined>;
  /** As a customer's redelivery; false where there is no such callback. */
  redeliver(callbackId: string): Promise<boolean>;
  /** The same to every address that the task was pushed to, journaled for each. */
  redeliverTask(taskId: string): Promise<boolean>;
}

export interface ActionQuestion extends PageCursors<number> {
  readonly accountId?: string | undefined;
}

export interface Journal {
  /** Newest first. */
  page(question: ActionQuestion): Promise<Page<OperatorAction>>;
}

/** A CTE that notes an action for each row of `from`, of which `subject` was changed. */
const journaled = (
  from: string,
  {
    action,
    account,
    subject,
  }: {
    readonly action: OperatorAction['action'];
    readonly account: string;
    readonly subject: string;
  },
  [via, details]: readonly [string, string],
): string => `
  journal AS (INSERT INTO operator_action (via, action, account_id, subject, details)
    SELECT ${via}, '${action}', ${account}, ${subject}, ${details}::jsonb FROM ${from})`;

const ofCallback = {
  action: 'callback.redeliver',
  account: 'account_id',
  subject: 'task_id',
} as const;
const ofTask = { action: 'task.cancel', account: 'account_id', subject: 'id' } as const;

const accountSql = `
  WITH changed AS (
    UPDATE account SET name = coalesce($2, name),
      suspended_at = CASE WHEN $3::boolean IS NULL THEN suspended_at WHEN $3 THEN coalesce(suspended_at, now()) END,
      active_videos_limit = CASE WHEN $6::boolean THEN $7::int ELSE active_videos_limit END
    WHERE id = $1 RETURNING id),
  ${journaled('changed', { action: 'account.change', account: 'id', subject: 'id' }, ['$4', '$5'])}
  SELECT id FROM changed`;

const keySql = `
  WITH changed AS (
    UPDATE api_key SET name = coalesce($2, name), scopes = coalesce($3::text[], scopes), models = coalesce($4::text[], models),
      requests_per_minute = CASE WHEN $5::boolean THEN $6::int ELSE requests_per_minute END
    WHERE id = $1 AND revoked_at IS NULL RETURNING id, account_id),
  ${journaled('changed', { action: 'key.change', account: 'account_id', subject: 'id' }, ['$7', '$8'])}
  SELECT id FROM changed`;

/** What operators change, journaled; `via` says how they did it. */
export function createOperatorActions(
  { pool }: Pick<Database, 'pool'>,
  via: OperatorAction['via'],
): OperatorActions {
  const noted = { cte: journaled('asked', ofCallback, ['$2', `'{}'`]), values: [via] };
  return {
    async changeAccount(accountId, { name, suspended, activeVideosLimit }) {
      const { rowCount } = await pool.query(accountSql, [
        accountId,
        name ?? null,
        suspended ?? null,
        via,
        { name, suspended, active_videos_limit: activeVideosLimit },
        activeVideosLimit !== undefined,
        activeVideosLimit ?? null,
      ]);
      return rowCount === 1;
    },
    async changeKey(keyId, { name, scopes, models, requestsPerMinute }) {
      const { rowCount } = await pool.query(keySql, [
        keyId,
        name ?? null,
        scopes ?? null,
        models ?? null,
        requestsPerMinute !== undefined,
        requestsPerMinute ?? null,
        via,
        { name, scopes, models, requests_per_minute: requestsPerMinute },
      ]);
      return rowCount === 1;
    },
    cancelUnsubmitted: (taskId, accountId) =>
      endUnsubmitted(pool, {
        name: 'operator-cancel-unsubmitted',
        text: endUnsubmittedSql(journaled('moved', ofTask, ['$8', `'{}'`])),
        values: [taskId, accountId],
        more: [via],
      }),
    requestCancel: (taskId, accountId) =>
      requestCancel(pool, {
        name: 'operator-request-cancel',
        text: requestCancelSql(journaled('requested', ofTask, ['$5', `'{}'`])),
        values: [taskId, accountId],
        more: [via],
      }),
    redeliver: (callbackId) => requestRedelivery({ pool }, callbackId, noted),
    redeliverTask: (taskId) => requestRedeliveries({ pool }, taskId, noted),
  };
}

const pageSql = (order: 'asc' | 'desc'): string => `
  SELECT id::float8 AS id, at, via, action, account_id AS "accountId", subject, details FROM operator_action
  WHERE ($1::text IS NULL OR account_id = $1) AND ($2::bigint IS NULL OR id < $2) AND ($3::bigint IS NULL OR id > $3)
  ORDER BY id ${order} LIMIT $4`;

/** What operators did to accounts, keys and tasks. */
export function createJournal({ pool }: Pick<Database, 'pool'>): Journal {
  return {
    page: ({ accountId, ...cursors }) =>
      readPage<OperatorAction, number>(cursors, async ({ ids, order, take }) => {
        const values = [accountId ?? null, ids.lt ?? null, ids.gt ?? null, take];
        return (await pool.query<OperatorAction>(pageSql(order), values)).rows;
      }),
  };
}
