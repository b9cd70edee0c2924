-- The running audit finds what is new by it. Built without stopping writers: the only statement of its migration.
CREATE INDEX CONCURRENTLY "usage_record_serial_idx" ON "usage_record"("serial") WHERE "serial" IS NOT NULL;
