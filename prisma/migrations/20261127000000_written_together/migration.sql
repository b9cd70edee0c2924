-- Tasks that are created together are counted, compared with their holds and owed to endpoints once for all of them, where each was by
-- itself. What is checked and written is what it was, in the same transaction, whoever writes: services of the version before as well.

-- The functions below run as the owner: nobody may put a temporary table of the same name before theirs.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- As count_task for each of them; accounts and providers in their order, so that nobody waits in a circle.
CREATE FUNCTION count_new_tasks() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  counted record;
BEGIN
  FOR counted IN SELECT account_id, count(*)::integer AS active FROM written WHERE is_active(status) GROUP BY account_id ORDER BY account_id LOOP
    UPDATE account_videos SET active = active + counted.active WHERE account_id = counted.account_id;
  END LOOP;
  FOR counted IN SELECT provider, count(*)::integer AS places FROM written WHERE has_place(step, admitted_at) GROUP BY provider ORDER BY provider LOOP
    INSERT INTO vendor_line AS l (provider, places_taken) VALUES (counted.provider, counted.places)
    ON CONFLICT (provider) DO UPDATE SET places_taken = l.places_taken + counted.places;
  END LOOP;
  RETURN NULL;
END $$;
DROP TRIGGER "task_counts_insert" ON "task";
CREATE TRIGGER "task_counts_insert" AFTER INSERT ON "task" REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION count_new_tasks();

-- As refuse_other_price. Holds are looked up one by one, in a subquery that cannot become a join: a plan made while there are few, and
-- kept, would read all of them each time.
CREATE FUNCTION refuse_other_prices() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  other text;
BEGIN
  SELECT w."id" INTO other FROM written w WHERE (
    SELECT (h."account_id", h."seconds", h."second_quota", h."quota", h."price")
      IS DISTINCT FROM (w."account_id", w."reserved_seconds", w."second_quota", w."max_quota", w."price")
    FROM "hold" h WHERE h."task_id" = w."id") LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'task % does not cost what is held for it', other USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER "task_costs_what_is_held" ON "task";
CREATE TRIGGER "task_costs_what_is_held" AFTER UPDATE OF "id", "account_id", "reserved_seconds", "second_quota", "max_quota", "price" ON "task"
  FOR EACH ROW EXECUTE FUNCTION refuse_other_price();
CREATE TRIGGER "new_task_costs_what_is_held" AFTER INSERT ON "task" REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_prices();

-- As before, for all events of a statement. Without endpoints of its account an event costs two looks into an index.
CREATE OR REPLACE FUNCTION owe_endpoints() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM written w WHERE (
    SELECT e.id FROM "endpoint" e
    WHERE e.account_id = (SELECT t.account_id FROM "task" t WHERE t.id = w.task_id) AND e.enabled AND e.verified_at IS NOT NULL LIMIT 1) IS NOT NULL) THEN
    RETURN NULL;
  END IF;
  WITH taker AS (
    SELECT w.task_id, w.sequence, w.status, e.id, e.account_id FROM written w JOIN "task" t ON t.id = w.task_id JOIN "endpoint" e ON e.account_id = t.account_id
    WHERE e.enabled AND e.verified_at IS NOT NULL AND (e.events = '{}' OR w.status = ANY (e.events)) AND e.url IS DISTINCT FROM t.callback_url
    ORDER BY w.task_id, e.id),
  owed AS (
    INSERT INTO "endpoint_callback" AS c (callback_id, task_id, endpoint_id, account_id, newest_sequence, settled_sequence)
    SELECT task_id || '.' || id, task_id, id, account_id, max(sequence), min(sequence) - 1 FROM taker GROUP BY task_id, id, account_id ORDER BY task_id, id
    -- What was stopped while its endpoint was disabled goes on.
    ON CONFLICT (callback_id) DO UPDATE SET newest_sequence = greatest(c.newest_sequence, excluded.newest_sequence),
      state = CASE WHEN c.stop_reason = 'disabled' THEN 'verified' ELSE c.state END, stop_reason = nullif(c.stop_reason, 'disabled'))
  INSERT INTO "endpoint_push" (callback_id, sequence, status) SELECT task_id || '.' || id, sequence, status FROM taker;
  RETURN NULL;
END $$;
DROP TRIGGER "task_event_owed" ON "task_event";
CREATE TRIGGER "task_event_owed" AFTER INSERT ON "task_event" REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION owe_endpoints();
