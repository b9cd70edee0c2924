-- The running audit finds what is new by it. Built without stopping writers: the only statement of its migration.
CREATE INDEX CONCURRENTLY "task_event_serial_idx" ON "task_event"("serial") WHERE "serial" IS NOT NULL;
