-- The archive finds by it what it may take. Built without stopping writers: the only statement of its migration.
CREATE INDEX CONCURRENTLY "task_archivable_idx" ON "task"("completed_at") WHERE "step" = 'done' AND "deleted_at" IS NULL AND ("status" <> 'succeeded' OR "media_purged_at" IS NOT NULL);
