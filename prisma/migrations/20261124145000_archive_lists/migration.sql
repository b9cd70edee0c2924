-- Lists go on into the archive: by account, by account and status, by account and model, as those of tasks do. Partitions that are made
-- later take these indexes over. While it is built nothing is moved into a partition; billing tries again.
CREATE INDEX "archived_task_account_id_task_id_idx" ON "archived_task"("account_id", "task_id" DESC);
CREATE INDEX "archived_task_account_id_status_task_id_idx" ON "archived_task"("account_id", "status", "task_id" DESC);
CREATE INDEX "archived_task_account_id_model_task_id_idx" ON "archived_task"("account_id", "model", "task_id" DESC);
