import type { Database } from '@gateway/store';
import { model, provider, upstreamModel } from './configuration.ts';

export interface SeedOptions {
  readonly accountId: string;
  /** Of the vendor. */
  readonly baseUrl: string;
  readonly count: number;
}

/** Ids in the form of ours: 26 digits behind the prefix. */
const taskIdOf = (number: number): string => `video_01bench${String(number).padStart(19, '0')}`;
/** The vendor calls the task by the same number, in an id as long as its own (24 characters). */
export const taskIdAt = (vendorTaskId: string): string => taskIdOf(Number(vendorTaskId.slice(-7)));

/** As api and worker leave a task that its vendor has accepted, with its hold. */
const seedSql = `
  WITH number AS (SELECT 'video_01bench' || lpad(n::text, 19, '0') AS id, 'cgt-202611220000-' || lpad(n::text, 7, '0') AS vendor_task_id FROM generate_series($2::int, $3::int) n),
  new_hold AS (INSERT INTO hold (task_id, account_id, quota, seconds, second_quota) SELECT id, $1, 5, 5, 1 FROM number),
  new_task AS (
    INSERT INTO task (id, account_id, key_id, request_id, model, status, step, epoch, event_sequence, request, provider, provider_kind, base_url, credential_id, upstream_model, vendor_task_id,
      second_quota, reserved_seconds, max_quota, admitted_at, submitting_at, started_at, expires_at, retention_days)
    SELECT id, $1, 'key_bench', 'bench', $4, 'running', 'poll', 4, 2,
      '{"prompt":"a red balloon","references":[],"ratio":"16:9","duration":5,"resolution":"480p","watermark":false,"seed":null,"generateAudio":false,"returnLastFrame":false,"metadata":{},"unsupported":[]}',
      $5, 'ark', $6, 'bench', $7, vendor_task_id, 1, 5, 5, now(), now(), now(), now() + interval '1 day', 1
    FROM number RETURNING id)
  INSERT INTO task_event (task_id, sequence, status) SELECT id, sequence, status FROM new_task, (VALUES (1, 'queued'), (2, 'running')) event (sequence, status)`;

/**
 * A trigger counts each task in one row, whose versions a transaction cannot tidy up: many small
 * ones are faster than one.
 */
const batch = 1_000;

/** Puts running tasks into the database, numbered from 1; returns their ids. */
export async function seedTasks(
  { pool }: Database,
  { accountId, baseUrl, count }: SeedOptions,
): Promise<string[]> {
  for (let first = 1; first <= count; first += batch) {
    await pool.query(seedSql, [
      accountId,
      first,
      Math.min(count, first + batch - 1),
      model,
      provider,
      baseUrl,
      upstreamModel,
    ]);
  }
  await pool.query('ANALYZE task');
  return Array.from({ length: count }, (_, index) => taskIdOf(index + 1));
}
