-- A task gets a place at its vendor in its turn, before it is handed over.
ALTER TABLE "task" ADD COLUMN "admitted_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "vendor_line" (
    "provider" TEXT NOT NULL,
    "places_taken" INTEGER NOT NULL DEFAULT 0,
    "last_account_id" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "vendor_line_pkey" PRIMARY KEY ("provider")
);

-- CreateTable
CREATE TABLE "account_videos" (
    "account_id" TEXT NOT NULL,
    "active" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "account_videos_pkey" PRIMARY KEY ("account_id")
);

-- AddForeignKey
ALTER TABLE "account_videos" ADD CONSTRAINT "account_videos_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What follows Prisma's language cannot say.

-- Both are one hot row each, updated in place.
ALTER TABLE "vendor_line" SET (fillfactor = 50), ADD CONSTRAINT "vendor_line_places" CHECK ("places_taken" >= 0);
ALTER TABLE "account_videos" SET (fillfactor = 50), ADD CONSTRAINT "account_videos_active" CHECK ("active" >= 0);

-- A task has a place from its turn until it is over; while it is sent again after a refusal it keeps it.
CREATE FUNCTION has_place(step text, admitted_at timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE
  RETURN step IN ('submitting', 'poll', 'ingest') OR (step = 'submit' AND admitted_at IS NOT NULL);
CREATE FUNCTION is_active(status text) RETURNS boolean LANGUAGE sql IMMUTABLE
  RETURN status IN ('queued', 'running');

-- Tasks that wait for their turn, in the order of turns; nobody else needs to look through them.
CREATE INDEX "task_line_idx" ON "task"("provider", "account_id", "id") WHERE "step" = 'submit' AND "admitted_at" IS NULL;
CREATE INDEX "task_line_deadline_idx" ON "task"("expires_at") WHERE "step" = 'submit' AND "admitted_at" IS NULL;
CREATE INDEX "task_on_its_way_idx" ON "task"("id") WHERE "step" <> 'done' AND NOT ("step" = 'submit' AND "admitted_at" IS NULL);
DROP INDEX "task_unfinished_idx";
DROP INDEX "task_waiting_idx";
DROP INDEX "task_at_vendor_idx";

-- Tasks that are under way have a place already.
UPDATE "task" SET "admitted_at" = coalesce("submitting_at", "created_at") WHERE "step" IN ('submitting', 'poll', 'ingest');
INSERT INTO "vendor_line" ("provider", "places_taken")
  SELECT "provider", count(*) FILTER (WHERE has_place("step", "admitted_at")) FROM "task" WHERE is_active("status") GROUP BY "provider";
INSERT INTO "account_videos" ("account_id", "active")
  SELECT a."id", (SELECT count(*) FROM "task" t WHERE t."account_id" = a."id" AND is_active(t."status")) FROM "account" a;

CREATE FUNCTION open_account_videos() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO account_videos (account_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER "account_has_videos" AFTER INSERT ON "account" FOR EACH ROW EXECUTE FUNCTION open_account_videos();

-- Whoever writes a task, and however: the counts follow in the same transaction. The account comes first everywhere, so that nobody waits in a circle.
CREATE FUNCTION count_task() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
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
  IF places_after <> places_before THEN
    INSERT INTO vendor_line AS l (provider, places_taken) VALUES (counted.provider, greatest(0, places_after - places_before))
    ON CONFLICT (provider) DO UPDATE SET places_taken = l.places_taken + places_after - places_before;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "task_counts_insert" AFTER INSERT ON "task" FOR EACH ROW EXECUTE FUNCTION count_task();
CREATE TRIGGER "task_counts_delete" AFTER DELETE ON "task" FOR EACH ROW EXECUTE FUNCTION count_task();
CREATE TRIGGER "task_counts_update" AFTER UPDATE ON "task" FOR EACH ROW
  WHEN (is_active(OLD."status") <> is_active(NEW."status") OR has_place(OLD."step", OLD."admitted_at") <> has_place(NEW."step", NEW."admitted_at"))
  EXECUTE FUNCTION count_task();

-- Gives free places of a vendor to the tasks whose turn it is: one account after the other, the oldest task of each. Answers their ids.
-- Each statement of a function sees what was committed before it: after the lock nothing of an earlier turn is missed.
CREATE FUNCTION admit_tasks(of_provider text, max_concurrent integer, most integer) RETURNS SETOF text LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET search_path FROM CURRENT AS $$
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
  PERFORM 1 FROM task WHERE provider = of_provider AND step = 'submit' AND admitted_at IS NULL LIMIT 1;
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

-- How many turns until a waiting task has its own, 1 for the next; null when it does not wait, or so many wait that counting them would cost.
-- Before the nth task of its account every other account has n turns, or n - 1 when its turn comes later in a round.
CREATE FUNCTION queue_position(of_task text) RETURNS integer LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET search_path FROM CURRENT AS $$
DECLARE
  most CONSTANT integer := 1000;
  most_accounts CONSTANT integer := 200;
  me record;
  last_served text;
  other text := '';
  nth integer;
  place integer;
  turns integer;
BEGIN
  SELECT provider, account_id INTO me FROM task WHERE id = of_task AND step = 'submit' AND admitted_at IS NULL;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT count(*) INTO nth FROM (
    SELECT 1 FROM task WHERE provider = me.provider AND account_id = me.account_id AND id <= of_task AND step = 'submit' AND admitted_at IS NULL LIMIT most + 1) own;
  SELECT coalesce((SELECT last_account_id FROM vendor_line WHERE provider = me.provider), '') INTO last_served;
  place := nth;
  FOR walked IN 0..most_accounts LOOP
    EXIT WHEN place > most;
    SELECT account_id INTO other FROM task
    WHERE provider = me.provider AND step = 'submit' AND admitted_at IS NULL AND account_id > other ORDER BY account_id LIMIT 1;
    IF NOT FOUND THEN RETURN place; END IF;
    IF other = me.account_id THEN CONTINUE; END IF;
    -- A round begins behind the account that was served last.
    turns := nth - CASE WHEN (other <= last_served, other) < (me.account_id <= last_served, me.account_id) THEN 0 ELSE 1 END;
    place := place + (SELECT count(*) FROM (
      SELECT 1 FROM task WHERE provider = me.provider AND account_id = other AND step = 'submit' AND admitted_at IS NULL LIMIT turns) theirs);
  END LOOP;
  RETURN NULL;
END $$;
