-- What waits for its receiver, oldest first. Built without stopping writers: the only statement of its migration.
CREATE INDEX CONCURRENTLY "callback_waiting_idx" ON "callback"("waiting_for", "waiting_since") WHERE "waiting_for" IS NOT NULL;
