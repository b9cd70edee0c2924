-- Redeliveries that operators ask for are in the journal, too.
ALTER TABLE "operator_action"
  DROP CONSTRAINT "operator_action_action",
  ADD CONSTRAINT "operator_action_action" CHECK ("action" IN ('account.change', 'callback.redeliver', 'key.change', 'task.cancel'));
