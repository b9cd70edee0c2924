-- What has a push that is not settled, by account. Built without stopping writers: the only statement of its migration.
CREATE INDEX CONCURRENTLY "callback_due_idx" ON "callback"("account_id", "due_at" NULLS FIRST) WHERE "settled_sequence" < "newest_sequence" AND "waiting_for" IS NULL;
