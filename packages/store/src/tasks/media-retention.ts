// SQL by hand: rows are taken with SKIP LOCKED, compared as tuples, and dated by the database's
// clock.
import type { MediaVariant } from '@gateway/contracts';
import type { Database } from '../database/database.ts';

/** A file that is not served any more and may still be in the storage. */
export interface PurgedFile {
  readonly taskId: string;
  readonly variant: MediaVariant;
  readonly storageKey: string;
  readonly purgedAt: Date;
}

/** A file that belongs to no row. */
export interface Orphan {
  readonly key: string;
  /**
   * Whether its task is known. A task that never was, or that this database has not heard of: after
   * a restore, also one that was made after the backup.
   */
  readonly isOfKnownTask: boolean;
}

/**
 * What retention does to media, in this order: nobody is offered the file any more, the file goes,
 * and that it is gone is noted. A crash in between leaves a file that is found again, never an
 * address that leads nowhere.
 */
export interface Retention {
  /**
   * Marks the media of at most `limit` tasks whose retention time is over; returns the ids of the
   * tasks. Replicas take different ones.
   */
  purgeDue(limit: number): Promise<string[]>;
  /**
   * Files of purged media that are not noted as removed and that no live task is made from, oldest
   * first; with `after`, those that follow it.
   */
  findPurged(options: {
    readonly limit: number;
    readonly after?: PurgedFile | undefined;
  }): Promise<PurgedFile[]>;
  noteRemoved(file: Pick<PurgedFile, 'taskId' | 'variant'>): Promise<void>;
  /**
   * Which of these storage keys belong to no row, and never will: their task is over or unknown,
   * and none of its media names them. Keys that name no task are not returned.
   */
  findOrphans(storageKeys: readonly string[]): Promise<Orphan[]>;
}

const purgeSql = `
  WITH due AS (
    SELECT id FROM task
    WHERE status = 'succeeded' AND media_purged_at IS NULL AND retained_until(completed_at, retention_days) <= now() AT TIME ZONE 'UTC'
    ORDER BY retained_until(completed_at, retention_days) LIMIT $1 FOR UPDATE SKIP LOCKED),
  purged AS (UPDATE task t SET media_purged_at = now() FROM due WHERE t.id = due.id AND t.media_purged_at IS NULL RETURNING t.id),
  closed AS (UPDATE media m SET purged_at = now() FROM purged p WHERE m.task_id = p.id)
  SELECT id FROM purged`;

const purgedSql = `
  SELECT task_id AS "taskId", variant, storage_key AS "storageKey", purged_at AS "purgedAt" FROM media
  WHERE purged_at IS NOT NULL AND removed_at IS NULL AND (purged_at, task_id, variant) > ($2::timestamptz, $3, $4)
    AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = task_id AND video_in_use(t.id, t.account_id))
  ORDER BY purged_at, task_id, variant LIMIT $1`;

/**
 * A success and its media are written in one statement, and a task that is over stays so: what no
 * row names then, no row ever will.
 */
const orphansSql = `
  SELECT key, EXISTS (SELECT 1 FROM task t WHERE t.id = task_id) OR EXISTS (SELECT 1 FROM deleted_task d WHERE d.task_id = found.task_id)
    OR EXISTS (SELECT 1 FROM archived_task a WHERE a.task_id = found.task_id) AS "isOfKnownTask"
  FROM (SELECT key, place, substring(key FROM '^[a-z]+/(video_[0-9a-hjkmnp-tv-z]{26})-') AS task_id FROM unnest($1::text[]) WITH ORDINALITY AS given (key, place)) found
  WHERE task_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = task_id AND t.step <> 'done')
    AND NOT EXISTS (SELECT 1 FROM media m WHERE m.task_id = found.task_id AND m.storage_key = key AND m.removed_at IS NULL)
  ORDER BY place`;

export function createRetention({ pool }: Database): Retention {
  return {
    async purgeDue(limit) {
      const { rows } = await pool.query<{ id: string }>({
        name: 'purge-due-media',
        text: purgeSql,
        values: [limit],
      });
      return rows.map(({ id }) => id);
    },
    async findPurged({ limit, after }) {
      const { rows } = await pool.query<PurgedFile>({
        name: 'find-purged-media',
        text: purgedSql,
        values: [limit, after?.purgedAt ?? '-infinity', after?.taskId ?? '', after?.variant ?? ''],
      });
      return rows;
    },
    async noteRemoved({ taskId, variant }) {
      await pool.query({
        name: 'note-removed-media',
        text: 'UPDATE media SET removed_at = now() WHERE task_id = $1 AND variant = $2 AND purged_at IS NOT NULL AND removed_at IS NULL',
        values: [taskId, variant],
      });
    },
    async findOrphans(storageKeys) {
      const { rows } = await pool.query<Orphan>({
        name: 'find-orphans',
        text: orphansSql,
        values: [storageKeys],
      });
      return rows;
    },
  };
}
