-- A task may change to another route: the row of the try that it left says why. A route that it left unsent has a row too.
ALTER TABLE "task_try" ADD COLUMN "left_because" TEXT;

-- What follows Prisma's language cannot say.
ALTER TABLE "task_try"
  DROP CONSTRAINT "task_try_number",
  ADD CONSTRAINT "task_try_number" CHECK ("number" >= 1 AND ("submissions" >= 1 OR ("submissions" = 0 AND "left_because" IS NOT NULL))) NOT VALID,
  ADD CONSTRAINT "task_try_left" CHECK ("left_because" IS NULL OR (
    "left_because" IN ('not_sent', 'busy', 'refused', 'breaker_open', 'model_gone', 'failed') AND "outcome" IN ('not_sent', 'busy', 'unavailable', 'failed') AND "ended_at" IS NOT NULL)) NOT VALID;

-- A task that left its vendor while that worked on it is running, and waits to be sent again.
ALTER TABLE "task"
  DROP CONSTRAINT "task_step",
  ADD CONSTRAINT "task_step" CHECK (CASE
    WHEN "status" = 'queued' THEN "step" IN ('submit', 'submitting')
    WHEN "status" = 'running' THEN "step" IN ('submit', 'submitting', 'poll', 'ingest')
    ELSE "step" IN ('late', 'done') END) NOT VALID;

-- What a new status says about the open try, whoever writes it. A task that is running already and was sent on another
-- route is taken without a new status.
CREATE OR REPLACE FUNCTION follow_task() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE task_try SET
    vendor_task_id = coalesce(NEW.vendor_task_id, vendor_task_id),
    accepted_at = CASE WHEN NEW.status = 'running' THEN now() ELSE accepted_at END,
    ended_at = CASE WHEN NEW.status = 'running' THEN NULL ELSE now() END,
    outcome = CASE
      WHEN NEW.status = 'running' THEN 'accepted'
      WHEN NEW.status = 'expired' THEN 'abandoned'
      WHEN NEW.status <> 'failed' THEN NEW.status
      WHEN NEW.failure_code = 'submission_unknown' THEN 'unknown'
      WHEN OLD.status = 'queued' OR OLD.step = 'submitting' THEN 'refused'
      ELSE 'failed' END
  WHERE task_id = NEW.id AND ended_at IS NULL;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "task_try_follows" AFTER UPDATE ON "task" FOR EACH ROW
  WHEN ((OLD."status" <> NEW."status" AND NEW."status" <> 'queued') OR (OLD."step" = 'submitting' AND NEW."step" = 'poll'))
  EXECUTE FUNCTION follow_task();

-- A slot is given back at the provider that the task leaves, and taken at the one where it is.
CREATE OR REPLACE FUNCTION count_task() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  active_before integer := 0;
  active_after integer := 0;
  places_before integer := 0;
  places_after integer := 0;
  counted "task";
BEGIN
  IF TG_OP <> 'INSERT' THEN
    counted := OLD;
    active_before := is_active(OLD.status)::integer;
    places_before := has_place(OLD.step, OLD.admitted_at)::integer;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    counted := NEW;
    active_after := is_active(NEW.status)::integer;
    places_after := has_place(NEW.step, NEW.admitted_at)::integer;
  END IF;
  IF active_after <> active_before THEN
    UPDATE account_videos SET active = active + active_after - active_before WHERE account_id = counted.account_id;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.provider <> NEW.provider THEN
    IF places_before > 0 THEN
      UPDATE vendor_line SET places_taken = places_taken - places_before WHERE provider = OLD.provider;
    END IF;
    places_before := 0;
  END IF;
  IF places_after <> places_before THEN
    INSERT INTO vendor_line AS l (provider, places_taken) VALUES (counted.provider, greatest(0, places_after - places_before))
    ON CONFLICT (provider) DO UPDATE SET places_taken = l.places_taken + places_after - places_before;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "task_counts_update" AFTER UPDATE ON "task" FOR EACH ROW
  WHEN (is_active(OLD."status") <> is_active(NEW."status") OR has_place(OLD."step", OLD."admitted_at") <> has_place(NEW."step", NEW."admitted_at")
    OR OLD."provider" <> NEW."provider")
  EXECUTE FUNCTION count_task();

-- Functions that run as the owner of the tables look for a name among temporary tables last.
DO $$
DECLARE
  of_owner regprocedure;
BEGIN
  FOR of_owner IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosecdef LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', of_owner, current_schema());
  END LOOP;
END $$;
