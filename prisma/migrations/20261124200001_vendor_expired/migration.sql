-- A task that its vendor gave up for its age is expired too, and its try has failed: nobody waits for it there any more.
CREATE OR REPLACE FUNCTION follow_task() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE task_try SET
    vendor_task_id = coalesce(NEW.vendor_task_id, vendor_task_id),
    accepted_at = CASE WHEN NEW.status = 'running' THEN now() ELSE accepted_at END,
    ended_at = CASE WHEN NEW.status = 'running' THEN NULL ELSE now() END,
    outcome = CASE
      WHEN NEW.status = 'running' THEN 'accepted'
      WHEN NEW.status = 'expired' AND NEW.step = 'done' AND NEW.failure_code = 'expired' AND OLD.step IN ('poll', 'ingest') THEN 'failed'
      WHEN NEW.status = 'expired' THEN 'abandoned'
      WHEN NEW.status <> 'failed' THEN NEW.status
      WHEN NEW.failure_code = 'submission_unknown' THEN 'unknown'
      WHEN OLD.status = 'queued' OR OLD.step = 'submitting' THEN 'refused'
      ELSE 'failed' END
  WHERE task_id = NEW.id AND ended_at IS NULL;
  RETURN NULL;
END $$;

-- Functions that run as the owner of the tables look for a name among temporary tables last.
DO $$
DECLARE
  of_owner regprocedure;
BEGIN
  FOR of_owner IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosecdef LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', of_owner, current_schema());
  END LOOP;
END $$;
