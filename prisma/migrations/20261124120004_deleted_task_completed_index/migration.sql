-- Margins of some days read what was completed in them. Built without stopping writers: the only statement of its migration.
CREATE INDEX CONCURRENTLY "deleted_task_completed_at_idx" ON "deleted_task"("completed_at");
