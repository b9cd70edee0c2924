-- A list by status or model must not walk through all tasks of an account to find the few that fit.
CREATE INDEX "task_account_id_status_id_idx" ON "task"("account_id", "status", "id" DESC);
CREATE INDEX "task_account_id_model_id_idx" ON "task"("account_id", "model", "id" DESC);
