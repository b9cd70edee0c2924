import pg from 'pg';
import { aNewTask } from './factories.ts';

/**
 * Finished tasks of the past three weeks, as they lie in the tables when everything about them is
 * done, with as many records of text usage. Free, so that every balance stays what it was.
 */
export interface History {
  /** Half of it is this account's. */
  readonly accountId: string;
  readonly others: readonly string[];
  readonly tasks: number;
  /** As many more in the archive. */
  readonly archived?: boolean;
  /** After each table, with what was done. */
  readonly say?: (line: string) => void;
}

const taskId = `'video_00' || lpad(n::text, 24, '0')`;
const owner = `CASE WHEN n % 2 = 0 THEN given.mine ELSE given.theirs[1 + n % cardinality(given.theirs)] END`;
const series =
  '(SELECT $1::text AS mine, $2::text[] AS theirs, $4::jsonb AS request) given, generate_series(1, $3::int) n';
/** One moment for all statements, each of which takes seconds. */
const begun = `$5::timestamptz - interval '21 days' + n * interval '5 milliseconds'`;
const ended = `${begun} + interval '1 minute'`;

const entry = (kind: 'hold' | 'release', debit: string, credit: string): string => `
  INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after, created_at)
  SELECT a.id, ${taskId}, '${kind}', 0, '${debit}', '${credit}', coalesce(b.balance, 0), coalesce(b.held, 0), ${begun}
  FROM ${series}, LATERAL (SELECT ${owner} AS id) a LEFT JOIN balance b ON b.account_id = a.id`;

/** In the order in which they refer to each other; triggers and foreign keys are off. */
const statements = [
  `INSERT INTO hold (task_id, account_id, quota, seconds, second_quota, state, charged_quota, created_at, closed_at)
   SELECT ${taskId}, ${owner}, 0, 5, 0, 'closed', 0, ${begun}, ${ended} FROM ${series}`,
  entry('hold', 'available', 'held'),
  entry('release', 'held', 'available'),
  `INSERT INTO task (id, account_id, key_id, request_id, model, status, step, event_sequence, request, callback_url, provider, provider_kind, base_url, credential_id, upstream_model,
     vendor_task_id, second_quota, reserved_seconds, max_quota, billed_seconds, billed_quota, result, created_at, admitted_at, submitting_at, started_at, completed_at, expires_at, retention_days)
   SELECT ${taskId}, ${owner}, 'key_history', 'req', 'sandbox-video', 'succeeded', 'done', 3, given.request, 'https://receiver.example/hook', 'sandbox', 'ark', 'http://127.0.0.1:9/api/v3', 'test', 'sandbox-1',
     'cgt-' || n, 0, 5, 0, 5, 0, '{"seconds": 5}', ${begun}, ${begun}, ${begun}, ${begun}, ${ended}, ${begun} + interval '1 hour', 30 FROM ${series}`,
  `INSERT INTO task_event (task_id, sequence, status, at, serial)
   SELECT ${taskId}, sequence, status, ${begun}, NULL FROM ${series}, (VALUES (1, 'queued'), (2, 'running'), (3, 'succeeded')) e(sequence, status)`,
  `INSERT INTO task_try (task_id, number, provider, credential_id, upstream_model, vendor_task_id, outcome, created_at, submitted_at, accepted_at, ended_at)
   SELECT ${taskId}, 1, 'sandbox', 'test', 'sandbox-1', 'cgt-' || n, 'succeeded', ${begun}, ${begun}, ${begun}, ${ended} FROM ${series}`,
  `INSERT INTO media (task_id, variant, storage_key, content_type, size_bytes, sha256, created_at)
   SELECT ${taskId}, 'content', 'videos/' || n, 'video/mp4', 1, repeat('a', 64), ${ended} FROM ${series}`,
  `INSERT INTO callback (task_id, account_id, state, attempts, due_at, verified_at, newest_sequence, settled_sequence)
   SELECT ${taskId}, ${owner}, 'verified', 4, NULL, ${begun}, 3, 3 FROM ${series}`,
  `INSERT INTO callback_push (task_id, sequence, status, state, attempts, settled_at)
   SELECT ${taskId}, sequence, status, 'delivered', 1, ${ended} FROM ${series}, (VALUES (1, 'queued'), (2, 'running'), (3, 'succeeded')) e(sequence, status)`,
  `INSERT INTO callback_attempt (id, task_id, sequence, attempt, started_at, duration_ms, class, http_status, serial)
   SELECT 'attempt_' || n || '_' || sequence, ${taskId}, sequence, 1, ${begun}, 5, 'success', 200, NULL FROM ${series}, generate_series(1, 3) sequence`,
  `INSERT INTO usage_record (id, batch_id, account_id, key_id, request_id, model, provider, upstream_model, dialect, upstream_dialect, stream, outcome, status, input_tokens, cached_input_tokens,
     cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost_nano, started_at, duration_ms, serial)
   SELECT 'usage_' || n, 'batch_' || n / 100, ${owner}, 'key_history', 'req', 'sandbox-chat', 'sandbox-chat', 'sandbox-chat', 'chat', 'chat', false, 'succeeded', 200, 1, 0, 0, 1, 0, false, 0, ${begun}, 5, NULL FROM ${series}`,
];

/** Every tenth is purged, and may be archived. */
const purged = [
  `UPDATE task SET media_purged_at = completed_at + interval '1 day', retention_days = 1 WHERE right(id, 1) = '0'`,
  `UPDATE media SET purged_at = created_at + interval '1 day', removed_at = created_at + interval '1 day' WHERE right(task_id, 1) = '0'`,
];

export const archivedIdOf = (number: number): string =>
  `video_01${String(number).padStart(24, '0')}`;
/** As many in the archive, over a year and a half. */
const archivedSql = `
  INSERT INTO archived_task (task_id, account_id, key_id, model, status, created_at, completed_at, billed_seconds, billed_quota, held_quota, charged_quota, task, details)
  SELECT 'video_01' || lpad(n::text, 24, '0'), t.account_id, t.key_id, t.model, t.status, at, at, 5, 0, 0, 0, to_jsonb(t),
    jsonb_build_object('hold', '[]'::jsonb, 'task_event', '[]'::jsonb, 'task_try', '[]'::jsonb, 'media', '[]'::jsonb, 'callback', '[]'::jsonb, 'callback_push', '[]'::jsonb, 'callback_attempt', '[]'::jsonb)
  FROM generate_series(1, $1::int) n JOIN task t ON t.id = 'video_00' || lpad(n::text, 24, '0'), LATERAL (SELECT date_trunc('milliseconds', now() - interval '30 days' - n * interval '500 days' / $1) AS at) a`;
const monthsOfTheArchive = `
  DO $$ BEGIN FOR month IN 0..20 LOOP
    PERFORM make_partition('archived_task', (date_trunc('month', now() AT TIME ZONE 'UTC') - month * interval '1 month') AT TIME ZONE 'UTC');
  END LOOP; END $$`;

/** The audit begins as it does with a database that has a past. */
const auditAnew = [
  `UPDATE audit_watermark SET positions = '{}', claimed_until = '-infinity'`,
  ...['audit_mark', 'audit_account', 'audit_lease', 'audit_exposure', 'audit_check'].map(
    (table) => `DELETE FROM ${table}`,
  ),
];

/** What the planner knows is what it knew after the load: with other figures it reads other pages. */
const fixStatistics = `
  DO $$ DECLARE t regclass; BEGIN
    FOR t IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname = current_schema()
    LOOP EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', t); END LOOP;
  END $$`;

/** Loads it in bulk, past triggers and foreign keys. Autovacuum is off afterwards. */
export async function loadHistory(
  url: string,
  { accountId, others, tasks, archived = false, say = () => undefined }: History,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { request } = aNewTask(accountId);
  const now = new Date().toISOString();
  try {
    await client.query(`SET session_replication_role = 'replica'`);
    for (const text of statements) {
      const values = [accountId, others, tasks, JSON.stringify(request), now];
      await client.query(text, values);
      say(/INSERT INTO (\w+)/.exec(text)?.[1] ?? '');
    }
    for (const text of purged) await client.query(text);
    if (archived) {
      await client.query(monthsOfTheArchive);
      await client.query(archivedSql, [tasks]);
    }
    for (const text of auditAnew) await client.query(text);
    await client.query(fixStatistics);
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}
