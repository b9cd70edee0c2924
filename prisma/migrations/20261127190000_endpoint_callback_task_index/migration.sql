-- In place of the unique index of the same columns, which the next migration drops.
CREATE INDEX CONCURRENTLY "endpoint_callback_task_id_endpoint_id_idx" ON "endpoint_callback"("task_id", "endpoint_id");
