-- Operators look for failing and stopped callbacks of all accounts: few, among all that were delivered. Built without stopping writers.
CREATE INDEX CONCURRENTLY "callback_troubled_idx" ON "callback"("task_id") WHERE "state" = 'stopped' OR "failures" > 0;
