-- Whoever asks for the open hold of one task may be given the index of all open holds, where statistics say that there are hardly any: it has
-- to lead to the task, or each creation reads every open hold.
CREATE INDEX "hold_open_task_idx" ON "hold"("task_id", "created_at") WHERE "state" = 'open';
DROP INDEX "hold_open_idx";
