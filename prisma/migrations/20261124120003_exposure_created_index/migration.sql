-- Margins of some days read what was noted in them. Built without stopping writers: the only statement of its migration.
CREATE INDEX CONCURRENTLY "exposure_created_at_idx" ON "exposure"("created_at");
