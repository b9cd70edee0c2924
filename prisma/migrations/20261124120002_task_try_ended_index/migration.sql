-- Margins of some days read what ended in them. Built without stopping writers: the only statement of its migration.
CREATE INDEX CONCURRENTLY "task_try_ended_at_idx" ON "task_try"("ended_at");
