// SQL by hand: a customer's request waits for the first, and a vendor that fetches a file for the second.
import type { MediaVariant, StoredMedia } from '@gateway/contracts';
import type { TaskStatus } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import type { MediaRecord } from './task-reads.ts';

/** A task of the account's own, as far as a new video can be made from it. */
export interface SourceVideo {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly isDeleted: boolean;
  /** Its retention time is over, and its files with it. */
  readonly isPurged: boolean;
  /** Length of the stored file; null of a task without one. */
  readonly seconds: number | null;
  readonly files: readonly StoredMedia[];
}

export interface SourceVideos {
  /** Those of the named that are or were the account's, archived and deleted ones too. */
  findSources(taskIds: readonly string[], accountId: string): Promise<SourceVideo[]>;
  /**
   * A file for a vendor: also one that customers do not get any more, as long as a live task is made
   * from it. Undefined where it is not there.
   */
  findSourceFile(taskId: string, variant: MediaVariant): Promise<MediaRecord | undefined>;
}

/** An archived success has no files any more: that is when it is archived. */
const sourcesSql = `
  SELECT t.id AS "taskId", t.status, t.deleted_at IS NOT NULL AS "isDeleted", t.media_purged_at IS NOT NULL AS "isPurged", (t.result ->> 'seconds')::float8 AS seconds,
    coalesce((SELECT jsonb_agg(jsonb_build_object('variant', m.variant, 'storageKey', m.storage_key, 'contentType', m.content_type, 'sizeBytes', m.size_bytes, 'sha256', m.sha256))
      FROM media m WHERE m.task_id = t.id), '[]') AS files
  FROM task t WHERE t.id = ANY($1) AND t.account_id = $2
  UNION ALL
  SELECT task_id, status, deleted_at IS NOT NULL, true, NULL, '[]' FROM archived_task WHERE task_id = ANY($1) AND account_id = $2
  UNION ALL
  SELECT task_id, status, true, true, NULL, '[]' FROM deleted_task WHERE task_id = ANY($1) AND account_id = $2`;

const fileSql = `
  SELECT m.variant, m.storage_key AS "storageKey", m.content_type AS "contentType", m.size_bytes AS "sizeBytes", m.sha256, m.created_at AS "createdAt", m.purged_at AS "purgedAt"
  FROM task t JOIN media m ON m.task_id = t.id AND m.variant = $2
  WHERE t.id = $1 AND m.removed_at IS NULL AND (t.deleted_at IS NULL AND m.purged_at IS NULL OR video_in_use(t.id, t.account_id))`;

export function createSourceVideos({ pool }: Database): SourceVideos {
  return {
    async findSources(taskIds, accountId) {
      const { rows } = await pool.query<SourceVideo>({
        name: 'find-source-videos',
        text: sourcesSql,
        values: [taskIds, accountId],
      });
      return rows;
    },
    async findSourceFile(taskId, variant) {
      const { rows } = await pool.query<MediaRecord>({
        name: 'find-source-file',
        text: fileSql,
        values: [taskId, variant],
      });
      return rows[0];
    },
  };
}
