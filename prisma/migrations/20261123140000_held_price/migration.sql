-- A task costs what is held for it. The statement that inserts a task takes the price from its hold; these two refuse any
-- other. Checks of a row cannot see another table, and a foreign key over all five columns would need a second index on holds.
CREATE FUNCTION refuse_other_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM "hold" h WHERE h."task_id" = NEW."id"
      AND (h."account_id", h."seconds", h."second_quota", h."quota") IS DISTINCT FROM (NEW."account_id", NEW."reserved_seconds", NEW."second_quota", NEW."max_quota")) THEN
    RAISE EXCEPTION 'task % does not cost what is held for it', NEW."id" USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "task_costs_what_is_held" AFTER INSERT OR UPDATE OF "id", "account_id", "reserved_seconds", "second_quota", "max_quota" ON "task"
  FOR EACH ROW EXECUTE FUNCTION refuse_other_price();

-- Nobody changes the terms of a hold: its task was told them.
CREATE TRIGGER "hold_terms_are_final" AFTER UPDATE OF "task_id", "account_id", "seconds", "second_quota", "quota" ON "hold"
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
