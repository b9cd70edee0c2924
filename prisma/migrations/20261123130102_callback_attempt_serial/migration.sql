-- The running audit finds what is new by it. Built without stopping writers: the only statement of its migration.
CREATE INDEX CONCURRENTLY "callback_attempt_serial_idx" ON "callback_attempt"("serial") WHERE "serial" IS NOT NULL;
