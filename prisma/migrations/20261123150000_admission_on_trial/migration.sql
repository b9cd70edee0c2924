-- Whom a circuit breaker holds back gets no slot, and whom it tries gets one. A replica of the version before goes on
-- with the function of three arguments.
CREATE FUNCTION admit_tasks(of_provider text, max_concurrent integer, most integer, paused text[], on_trial text[], is_trial boolean)
  RETURNS SETOF text LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off SET search_path FROM CURRENT AS $$
DECLARE
  trial_width CONSTANT integer := 100;
  line "vendor_line";
  chosen record;
  free integer;
  behind text;
  wrapped boolean := false;
BEGIN
  -- A glance spares the lock. Who frees a slot looks after his commit, and so does who joins the queue: no turn is lost.
  SELECT * INTO line FROM vendor_line WHERE provider = of_provider;
  IF FOUND AND line.places_taken >= max_concurrent THEN RETURN; END IF;
  PERFORM 1 FROM task WHERE provider = of_provider AND step = 'submit' AND admitted_at IS NULL ORDER BY account_id, id LIMIT 1;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO vendor_line (provider) VALUES (of_provider) ON CONFLICT DO NOTHING;
  SELECT * INTO line FROM vendor_line WHERE provider = of_provider FOR UPDATE;
  free := least(max_concurrent - line.places_taken, most);
  behind := line.last_account_id;
  WHILE free > 0 LOOP
    -- A row that is locked is being ended; a foreign key's lock does not count.
    SELECT id, account_id INTO chosen FROM task
    WHERE provider = of_provider AND step = 'submit' AND admitted_at IS NULL AND account_id > behind
    ORDER BY account_id, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN
      behind := chosen.account_id;
      CONTINUE WHEN behind = ANY(paused);
      IF is_trial OR behind = ANY(on_trial) THEN
        paused := paused || behind;
        -- The oldest may be the very one that fails; whoever failed least often says most about the vendor.
        SELECT id, account_id INTO chosen FROM (
          SELECT id, account_id, step_failures FROM task
          WHERE (provider, account_id) = (of_provider, behind) AND step = 'submit' AND admitted_at IS NULL
          ORDER BY account_id, id LIMIT trial_width FOR NO KEY UPDATE SKIP LOCKED) first_in_queue
        ORDER BY step_failures, id LIMIT 1;
      END IF;
      UPDATE task SET admitted_at = now(), epoch = epoch + 1 WHERE id = chosen.id;
      line.last_account_id := behind;
      free := free - 1;
      wrapped := false;
      RETURN NEXT chosen.id;
    ELSE
      EXIT WHEN wrapped;
      wrapped := true;
      behind := '';
    END IF;
  END LOOP;
  UPDATE vendor_line SET last_account_id = line.last_account_id WHERE provider = of_provider AND last_account_id <> line.last_account_id;
END $$;
