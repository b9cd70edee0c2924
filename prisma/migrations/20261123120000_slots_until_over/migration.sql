-- A task keeps its slot at the vendor for as long as the vendor may be at work on it: also when it expired here and is
-- watched, and no longer once the vendor has finished its video.

-- The counts are brought in line with the rows, so both tables stand still for the moment that it takes to read the
-- unfinished tasks. Other statements lock the two in either order: whoever gets only one of them lets go of it.
DO $$
BEGIN
  FOR attempt IN 1..600 LOOP
    BEGIN
      LOCK TABLE "task" IN SHARE ROW EXCLUSIVE MODE;
      LOCK TABLE "vendor_line" IN EXCLUSIVE MODE NOWAIT;
      RETURN;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.05);
    END;
  END LOOP;
  RAISE EXCEPTION 'the tables task and vendor_line are in use all the time: run the migration again';
END $$;

CREATE OR REPLACE FUNCTION has_place(step text, admitted_at timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE
  RETURN step IN ('submitting', 'poll', 'late') OR (step = 'submit' AND admitted_at IS NOT NULL);

INSERT INTO "vendor_line" AS l ("provider", "places_taken")
  SELECT "provider", count(*) FILTER (WHERE has_place("step", "admitted_at")) FROM "task"
  WHERE "step" <> 'done' AND NOT ("step" = 'submit' AND "admitted_at" IS NULL) GROUP BY "provider"
  ON CONFLICT ("provider") DO UPDATE SET "places_taken" = EXCLUDED."places_taken";
