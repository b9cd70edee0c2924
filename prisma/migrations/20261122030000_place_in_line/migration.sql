-- Where statistics lag behind, the planner takes any index of waiting tasks and reads every line of every vendor. Every question about
-- a line asks for the order that only "task_line_idx" has, and a row comparison keeps the planner from seeing that its head is constant.
CREATE OR REPLACE FUNCTION admit_tasks(of_provider text, max_concurrent integer, most integer) RETURNS SETOF text LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off SET search_path FROM CURRENT AS $$
DECLARE
  line "vendor_line";
  chosen record;
  free integer;
  behind text;
  wrapped boolean := false;
BEGIN
  -- A glance spares the lock. Who frees a place looks after his commit, and so does who joins the line: no turn is lost.
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
      UPDATE task SET admitted_at = now(), epoch = epoch + 1 WHERE id = chosen.id;
      behind := chosen.account_id;
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

-- A replica of the version before asks for this one, and shows no place when it is gone.
DROP FUNCTION queue_position(text);

-- How many turns until a waiting task has its own, 1 for the next; 0 when so many wait that counting them would cost; null when it does not wait.
-- Before the nth task of its account every other account has n turns, or n - 1 when its turn comes later in a round.
CREATE FUNCTION place_in_line(of_task text) RETURNS integer LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off SET search_path FROM CURRENT AS $$
DECLARE
  most CONSTANT integer := 1000;
  most_accounts CONSTANT integer := 200;
  me record;
  last_served text;
  other record;
  behind text := '';
  nth integer;
  place integer;
  turns integer;
BEGIN
  -- What makes it wait is no condition here, or one of the indexes of waiting tasks would do as well as the primary key.
  SELECT provider, account_id, step, admitted_at INTO me FROM task WHERE id = of_task;
  IF NOT FOUND OR me.step <> 'submit' OR me.admitted_at IS NOT NULL THEN RETURN NULL; END IF;
  SELECT count(*) INTO nth FROM (
    SELECT 1 FROM task
    WHERE (provider, account_id, id) >= (me.provider, me.account_id, '') AND (provider, account_id, id) <= (me.provider, me.account_id, of_task) AND step = 'submit' AND admitted_at IS NULL
    ORDER BY provider, account_id, id LIMIT most + 1) own;
  SELECT coalesce((SELECT last_account_id FROM vendor_line WHERE provider = me.provider), '') INTO last_served;
  place := nth;
  FOR walked IN 0..most_accounts LOOP
    IF place > most THEN RETURN 0; END IF;
    SELECT provider, account_id INTO other FROM task
    WHERE (provider, account_id) > (me.provider, behind) AND step = 'submit' AND admitted_at IS NULL ORDER BY provider, account_id, id LIMIT 1;
    IF NOT FOUND OR other.provider <> me.provider THEN RETURN place; END IF;
    behind := other.account_id;
    IF behind = me.account_id THEN CONTINUE; END IF;
    -- A round begins behind the account that was served last.
    turns := nth - CASE WHEN (behind <= last_served, behind) < (me.account_id <= last_served, me.account_id) THEN 0 ELSE 1 END;
    place := place + (SELECT count(*) FROM (
      SELECT 1 FROM task
      WHERE (provider, account_id) >= (me.provider, behind) AND (provider, account_id) <= (me.provider, behind) AND step = 'submit' AND admitted_at IS NULL
      ORDER BY provider, account_id, id LIMIT turns) theirs);
  END LOOP;
  RETURN 0;
END $$;
