-- The running audit finds what is new by it. Built without stopping writers: the only statement of its migration.
CREATE INDEX CONCURRENTLY "media_purged_at_idx" ON "media"("purged_at") WHERE "purged_at" IS NOT NULL;
