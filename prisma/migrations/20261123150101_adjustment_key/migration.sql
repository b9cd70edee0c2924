-- An adjustment that is asked for again under its key does nothing. Built without stopping writers: the only statement of its migration.
CREATE UNIQUE INDEX CONCURRENTLY "ledger_entry_adjustment_key_idx" ON "ledger_entry"("account_id", "adjustment_key") WHERE "adjustment_key" IS NOT NULL;
