// SQL by hand: a customer's request waits for it, and one statement checks hold, limit, key and
// the account's own files under their locks.
import type { NewTask, Task } from '@gateway/contracts';
import type { Database } from '../database/database.ts';
import {
  createIdempotencyKeys,
  type IdempotencyClaim,
  type IdempotencyKeys,
} from './idempotency-keys.ts';
import { toTask, type TaskRow } from './task-row.ts';

export type InsertedTask = Task | 'full' | undefined;

export interface TaskCreation extends IdempotencyKeys {
  /**
   * The task with its first event and its first push, in one statement. It costs what its hold says:
   * an earlier request with the same key may have taken that at another price. Undefined when its
   * hold is not open or is for other seconds, the task or key is taken, or an asset or a video that it
   * names was deleted, or the video's files purged. `full`: the account has `maxActive` unfinished tasks, exactly and over all replicas;
   * nothing was written.
   */
  insertTask(
    task: NewTask,
    claim: IdempotencyClaim | undefined,
    maxActive?: number,
  ): Promise<InsertedTask>;
  /**
   * The same for several tasks of one account that name no asset and no video, in one statement. Resolves in
   * their order; of a task that is given twice, the first gets the response.
   */
  insertTasks(
    accountId: string,
    tasks: readonly NewTask[],
    maxActive?: number,
  ): Promise<InsertedTask[]>;
  /** How many unfinished tasks the account has. */
  countActive(accountId: string): Promise<number>;
}

/** What the request says of a task. */
const given = [
  'id',
  'account_id',
  'key_id',
  'request_id',
  'model',
  'request',
  'callback_url',
  'provider',
  'provider_kind',
  'base_url',
  'credential_id',
  'upstream_model',
  'reserved_seconds',
  'retention_days',
  'traceparent',
] as const;
const columns = [...given, 'second_quota', 'max_quota', 'price'].join(', ');

const heldPrice = 'open_hold.second_quota, open_hold.quota, open_hold.price';

const placeholders = given
  .map((column, index) => `$${index + 1}${column === 'request' ? '::jsonb' : ''}`)
  .join(', ');

const isNew = 'NOT EXISTS (SELECT 1 FROM task WHERE id = $1)';

/**
 * The row is read as it is once locked, and stays locked until the task is counted: a trigger
 * raises it in the same transaction. A task that exists already locks nothing: its insert would
 * wait for whoever moves it, who may be waiting for this row.
 */
const capacityFor = (limit: string): string =>
  `SELECT account_id FROM account_videos WHERE account_id = $2 AND active < ${limit} AND ${isNew} FOR NO KEY UPDATE`;

/** FOR SHARE makes this wait for a release of the hold that is under way, and see it. */
const openHold = `SELECT second_quota, quota, price FROM hold WHERE task_id = $1 AND account_id = $2 AND seconds = $13 AND state = 'open' FOR SHARE`;

/**
 * Only for a task that names assets or videos. FOR SHARE makes a deletion or a purge wait for this
 * task, and this task see a deletion or a purge.
 */
const withOwnFiles = (assets: string, videos: string): string => `,
  own_asset AS (SELECT id FROM asset WHERE id = ANY(${assets}::text[]) AND account_id = $2 AND state = 'ready' ORDER BY id FOR SHARE),
  own_video AS (
    SELECT id FROM task WHERE id = ANY(${videos}::text[]) AND account_id = $2 AND status = 'succeeded' AND deleted_at IS NULL AND media_purged_at IS NULL
    ORDER BY id FOR SHARE),
  own_files AS (
    SELECT 1 FROM (SELECT count(*) AS found FROM own_asset) a, (SELECT count(*) AS found FROM own_video) v
    WHERE a.found = cardinality(${assets}::text[]) AND v.found = cardinality(${videos}::text[]))`;

const keptKey = (conditions: string): string => `
  INSERT INTO idempotency_key (account_id, key, task_id, body_hash, created)
  SELECT $2, $18, $1, $19::bytea, true FROM ${conditions}
  ON CONFLICT (account_id, key) DO UPDATE SET created = true WHERE idempotency_key.task_id = excluded.task_id
  RETURNING task_id`;

/** What a new task brings with it. */
const companions = `
  new_event AS (INSERT INTO task_event (task_id, sequence, status, at) SELECT id, 1, status, created_at FROM new_task),
  new_callback AS (INSERT INTO callback (task_id, account_id) SELECT id, account_id FROM new_task WHERE callback_url IS NOT NULL),
  new_push AS (INSERT INTO callback_push (task_id, sequence, status) SELECT id, 1, status FROM new_task WHERE callback_url IS NOT NULL)`;

const insertSql = (source: string, extra: string): string => `
  WITH open_hold AS (${openHold}), capacity AS (${capacityFor('$17')})${extra},
  new_task AS (
    INSERT INTO task (${columns}, status, step, expires_at)
    SELECT ${placeholders}, ${heldPrice}, 'queued', 'submit', now() + make_interval(secs => $16) FROM ${source}
    ON CONFLICT (id) DO NOTHING
    RETURNING *),${companions}
  SELECT n.*, EXISTS (SELECT 1 FROM open_hold) AND NOT EXISTS (SELECT 1 FROM capacity) AND ${isNew} AS is_full FROM (VALUES (1)) AS one LEFT JOIN new_task n ON true`;

const statements = {
  'insert-task': insertSql('open_hold, capacity', ''),
  'insert-task-with-key': insertSql(
    'kept_key, open_hold',
    `, kept_key AS (${keptKey('open_hold, capacity')})`,
  ),
  'insert-task-with-files': insertSql('open_hold, capacity, own_files', withOwnFiles('$18', '$19')),
  'insert-task-with-key-and-files': insertSql(
    'kept_key, open_hold',
    `${withOwnFiles('$20', '$21')}, kept_key AS (${keptKey('open_hold, capacity, own_files')})`,
  ),
} as const;

/**
 * The first of them get what capacity there is. Holds are looked up one by one, in the order of
 * their tasks' ids: a plan made while hardly any are open, and kept, would read all open ones each
 * time.
 */
const insertManySql = `
  WITH input AS (
    SELECT t.*, (given->>'expires_after_seconds')::int AS expires_after_seconds
    FROM jsonb_array_elements($2::jsonb) AS given, jsonb_populate_record(NULL::task, given) AS t),
  open_hold AS (
    SELECT h.* FROM unnest($3::text[]) AS asked(task_id), LATERAL (
      SELECT task_id, account_id, seconds, second_quota, quota, price FROM hold WHERE task_id = asked.task_id AND state = 'open' FOR SHARE) h),
  fresh AS (
    SELECT i.id, row_number() OVER (ORDER BY i.id) AS place
    FROM input i JOIN open_hold h ON h.task_id = i.id AND h.account_id = i.account_id AND h.seconds = i.reserved_seconds
    WHERE NOT EXISTS (SELECT 1 FROM task t WHERE t.id = i.id)),
  capacity AS (SELECT $4::bigint - active AS free FROM account_videos WHERE account_id = $1 AND active < $4 FOR NO KEY UPDATE),
  new_task AS (
    INSERT INTO task (${columns}, status, step, expires_at)
    SELECT ${given.map((column) => `i.${column}`).join(', ')}, ${heldPrice}, 'queued', 'submit', now() + make_interval(secs => i.expires_after_seconds)
    FROM input i JOIN fresh f USING (id) JOIN open_hold ON open_hold.task_id = i.id, capacity c WHERE f.place <= c.free ORDER BY i.id
    ON CONFLICT (id) DO NOTHING
    RETURNING *),${companions}
  SELECT i.id AS asked, n.*, coalesce(f.place > coalesce((SELECT free FROM capacity), 0), false) AS is_full
  FROM input i LEFT JOIN fresh f ON f.id = i.id LEFT JOIN new_task n ON n.id = i.id`;

interface OwnIds {
  readonly assets: readonly string[];
  readonly videos: readonly string[];
}

/** Each once: a video may use one file twice. */
const ownIdsOf = ({ request: { references } }: NewTask): OwnIds => ({
  assets: [
    ...new Set(
      references.flatMap(({ source }) => (source.type === 'asset' ? [source.assetId] : [])),
    ),
  ],
  videos: [
    ...new Set(references.flatMap(({ source }) => (source.type === 'task' ? [source.taskId] : []))),
  ],
});

/** The statement for this task, whose values come first. */
function insertionOf(
  values: readonly unknown[],
  { claim, own: { assets, videos } }: { claim: IdempotencyClaim | undefined; own: OwnIds },
): { name: string; text: string; values: unknown[] } {
  const hasFiles = assets.length + videos.length > 0;
  const plain = hasFiles ? 'insert-task-with-files' : 'insert-task';
  const withKey = hasFiles ? 'insert-task-with-key-and-files' : 'insert-task-with-key';
  const name = claim === undefined ? plain : withKey;
  return {
    name,
    text: statements[name],
    values: [
      ...values,
      ...(claim === undefined ? [] : [claim.key, claim.bodyHash]),
      ...(hasFiles ? [assets, videos] : []),
    ],
  };
}

const unlimited = 2_147_483_647;

/** A new task as its row. */
const recordOf = (
  task: NewTask,
): Readonly<Record<(typeof given)[number], unknown>> & {
  readonly expires_after_seconds: number;
} => ({
  id: task.id,
  account_id: task.accountId,
  key_id: task.keyId,
  request_id: task.requestId,
  model: task.model,
  request: task.request,
  callback_url: task.callbackUrl,
  provider: task.vendor.provider,
  provider_kind: task.vendor.kind,
  base_url: task.vendor.baseUrl,
  credential_id: task.vendor.credentialId,
  upstream_model: task.vendor.upstreamModel,
  reserved_seconds: task.price.reservedSeconds,
  retention_days: task.retentionDays,
  traceparent: task.traceparent,
  expires_after_seconds: task.expiresAfterSeconds,
});

/** A new task, or the reason why there is none. */
type InsertedRow = (TaskRow | { readonly id: null }) & { readonly is_full: boolean };

function insertedTask(row: InsertedRow | undefined): InsertedTask {
  if (row === undefined || row.id === null) return row?.is_full === true ? 'full' : undefined;
  return toTask(row);
}

export function createTaskCreation({ pool }: Database): TaskCreation {
  return {
    ...createIdempotencyKeys(pool),
    async insertTask(task, claim, maxActive = unlimited) {
      const { expires_after_seconds: expiresAfterSeconds, ...record } = recordOf(task);
      const values = [
        ...given.map((column) =>
          column === 'request' ? JSON.stringify(task.request) : record[column],
        ),
        expiresAfterSeconds,
        maxActive,
      ];
      const { rows } = await pool.query<InsertedRow>(
        insertionOf(values, { claim, own: ownIdsOf(task) }),
      );
      return insertedTask(rows[0]);
    },
    async insertTasks(accountId, tasks, maxActive = unlimited) {
      const asked = new Map(tasks.toReversed().map((task) => [task.id, task]));
      const values = [
        accountId,
        JSON.stringify([...asked.values()].map(recordOf)),
        [...asked.keys()].sort(),
        maxActive,
      ];
      const { rows } = await pool.query<InsertedRow & { readonly asked: string }>({
        name: 'insert-tasks',
        text: insertManySql,
        values,
      });
      const inserted = new Map(rows.map((row) => [row.asked, insertedTask(row)]));
      return tasks.map(({ id }) => {
        const outcome = inserted.get(id);
        // The second mention of a task did not create it.
        if (outcome !== 'full') inserted.delete(id);
        return outcome;
      });
    },
    async countActive(accountId) {
      const { rows } = await pool.query<{ active: number }>({
        name: 'count-active',
        text: 'SELECT active FROM account_videos WHERE account_id = $1',
        values: [accountId],
      });
      return rows[0]?.active ?? 0;
    },
  };
}
