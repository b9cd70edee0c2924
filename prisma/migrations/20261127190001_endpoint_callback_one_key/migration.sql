-- callback_id already says which task and which endpoint. ON CONFLICT (callback_id) decides by that index alone: when a dispatcher updates
-- the row meanwhile, the statement can miss it there, and begins anew. This second unique index refused it instead, and the move with it.
DROP INDEX "endpoint_callback_task_id_endpoint_id_key";
