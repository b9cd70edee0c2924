-- AlterTable
ALTER TABLE "hold" ADD COLUMN     "task_deleted_at" TIMESTAMPTZ(3);

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

-- A row trigger does not see TRUNCATE.
CREATE TRIGGER "ledger_entry_never_emptied" BEFORE TRUNCATE ON "ledger_entry" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "usage_record_never_emptied" BEFORE TRUNCATE ON "usage_record" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "usage_uncollected_never_emptied" BEFORE TRUNCATE ON "usage_uncollected" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "hold_never_removed" BEFORE DELETE ON "hold" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "hold_never_emptied" BEFORE TRUNCATE ON "hold" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "balance_never_removed" BEFORE DELETE ON "balance" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "balance_never_emptied" BEFORE TRUNCATE ON "balance" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A task that is removed before its hold is closed would look like one that was never created, and cost nothing.
-- One that is removed after it leaves a mark: a charge without a task and without the mark is a fault.
CREATE FUNCTION remove_settled_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "hold" SET "task_deleted_at" = now() WHERE "task_id" = OLD."id" AND "state" = 'closed';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'task % has an open hold and cannot be removed', OLD.id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER "task_removed_when_settled" BEFORE DELETE ON "task" FOR EACH ROW EXECUTE FUNCTION remove_settled_task();
