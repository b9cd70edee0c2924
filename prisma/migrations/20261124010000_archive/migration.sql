-- Finished tasks leave the hot tables for an archive by month; old usage is kept as sums by day; months of the ledger are closed.
-- The functions below run as the owner: nobody may put a temporary table of the same name before theirs.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- CreateTable
CREATE TABLE "archived_task" (
    "task_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "billed_seconds" INTEGER NOT NULL,
    "billed_quota" BIGINT NOT NULL,
    "held_quota" BIGINT NOT NULL,
    "charged_quota" BIGINT NOT NULL,
    "archived_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "task" JSONB,
    "details" JSONB,

    CONSTRAINT "archived_task_pkey" PRIMARY KEY ("task_id","completed_at")
) PARTITION BY RANGE ("completed_at");

-- CreateTable
CREATE TABLE "usage_day" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "model" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "estimated_requests" BIGINT NOT NULL DEFAULT 0,
    "aborted_requests" BIGINT NOT NULL DEFAULT 0,
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "cached_input_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_write_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_write_1h_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "reasoning_tokens" BIGINT NOT NULL DEFAULT 0,
    "server_tool_uses" BIGINT NOT NULL DEFAULT 0,
    "seconds" BIGINT NOT NULL DEFAULT 0,
    "cost_nano" DECIMAL(40,0) NOT NULL,

    CONSTRAINT "usage_day_pkey" PRIMARY KEY ("account_id","day","model","key_id","kind")
);

-- CreateTable
CREATE TABLE "ledger_closing" (
    "account_id" TEXT NOT NULL,
    "month" DATE NOT NULL,
    "last_entry_id" BIGINT NOT NULL,
    "entries" BIGINT NOT NULL,
    "balance" BIGINT NOT NULL,
    "held" BIGINT NOT NULL,
    "text_charged" BIGINT NOT NULL,
    "debt_paid" BIGINT NOT NULL,
    "closed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_closing_pkey" PRIMARY KEY ("account_id","month")
);

-- CreateTable
CREATE TABLE "ledger_month" (
    "month" DATE NOT NULL,
    "closed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_month_pkey" PRIMARY KEY ("month")
);

-- CreateTable
CREATE TABLE "data_partition" (
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "parent" TEXT NOT NULL,
    "from_at" TIMESTAMPTZ(3) NOT NULL,
    "until_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "dropped_at" TIMESTAMPTZ(3),
    "dropped_rows" BIGINT,

    CONSTRAINT "data_partition_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "archived_task_account_id_completed_at_idx" ON "archived_task"("account_id", "completed_at");

-- CreateIndex
CREATE INDEX "archived_task_completed_at_idx" ON "archived_task"("completed_at");

-- CreateIndex
CREATE INDEX "data_partition_parent_from_at_idx" ON "data_partition"("parent", "from_at");

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

ALTER TABLE "archived_task" ADD CONSTRAINT "archived_task_bill" CHECK ("billed_quota" = "charged_quota" AND "charged_quota" BETWEEN 0 AND "held_quota");
ALTER TABLE "usage_day" ADD CONSTRAINT "usage_day_kind" CHECK ("kind" IN ('text', 'video') AND "requests" > 0 AND "cost_nano" >= 0);
-- A row is never lost for want of its month.
CREATE TABLE "archived_task_default" PARTITION OF "archived_task" DEFAULT;

-- Its customer may have what a task was about removed; what it cost stays.
CREATE FUNCTION keep_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.deleted_at IS NOT NULL AND NEW.task IS NULL AND NEW.details IS NULL
    AND to_jsonb(NEW) - 'deleted_at' - 'task' - 'details' = to_jsonb(OLD) - 'deleted_at' - 'task' - 'details' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'rows of archived_task are never changed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "archived_task_kept" BEFORE UPDATE OR DELETE ON "archived_task" FOR EACH ROW EXECUTE FUNCTION keep_archived();
CREATE TRIGGER "usage_day_never_removed" BEFORE DELETE ON "usage_day" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "ledger_closing_append_only" BEFORE UPDATE OR DELETE ON "ledger_closing" FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A hold goes only when the archive has it, as it was.
CREATE FUNCTION remove_archived_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'closed' AND EXISTS (
    SELECT 1 FROM "archived_task" a WHERE a."task_id" = OLD."task_id" AND a."account_id" = OLD."account_id" AND a."held_quota" = OLD."quota" AND a."charged_quota" = OLD."charged_quota") THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of hold are never changed' USING ERRCODE = 'restrict_violation';
END $$;
DROP TRIGGER "hold_never_removed" ON "hold";
CREATE TRIGGER "hold_never_removed" BEFORE DELETE ON "hold" FOR EACH ROW EXECUTE FUNCTION remove_archived_hold();

-- As before; an archived task leaves no mark, because its hold goes with it.
CREATE OR REPLACE FUNCTION remove_settled_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."deleted_at" IS NULL AND EXISTS (SELECT 1 FROM "archived_task" a WHERE a."task_id" = OLD."id" AND a."billed_quota" = OLD."billed_quota") THEN
    RETURN OLD;
  END IF;
  UPDATE "hold" SET "task_deleted_at" = now() WHERE "task_id" = OLD."id" AND "state" = 'closed';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'task % has an open hold and cannot be removed', OLD.id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;

-- The first id that can be made at this moment: ids begin with their time, in base 32.
CREATE FUNCTION first_id(prefix text, at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN prefix || '_' || (
    SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((floor(extract(epoch FROM at) * 1000)::bigint >> (5 * digit)) & 31)::integer + 1, 1), '' ORDER BY digit DESC)
    FROM generate_series(0, 9) digit);

-- The partition of one month, unless something covers it; false too while rows of that month are in the default partition.
CREATE FUNCTION make_partition(of_parent text, month timestamptz) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  until_month timestamptz := (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
  partition text := of_parent || to_char(month AT TIME ZONE 'UTC', '"_y"YYYY"m"MM');
BEGIN
  IF EXISTS (SELECT 1 FROM "data_partition" p WHERE p."parent" = of_parent AND p."dropped_at" IS NULL AND p."from_at" < until_month AND p."until_at" > month) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', partition, of_parent);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', of_parent, partition,
    CASE of_parent WHEN 'usage_record' THEN first_id('usage', month) ELSE month::text END,
    CASE of_parent WHEN 'usage_record' THEN first_id('usage', until_month) ELSE until_month::text END);
  EXECUTE format('CREATE TRIGGER never_emptied BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', partition);
  INSERT INTO "data_partition" ("name", "parent", "from_at", "until_at") VALUES (partition, of_parent, month, until_month);
  RETURN true;
EXCEPTION WHEN check_violation THEN
  RETURN false;
END $$;

-- The functions below run as the owner of the tables, and may do no more than they say. One at a time: who comes second does nothing.

-- The partitions of this month and the next ones. Returns how many it made.
CREATE FUNCTION make_partitions(months_ahead integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  this_month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
  made integer := 0;
  of_parent text;
BEGIN
  IF months_ahead NOT BETWEEN 1 AND 24 THEN
    RAISE EXCEPTION 'partitions are made for 1 to 24 months ahead' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7404273) THEN RETURN 0; END IF;
  FOR of_parent IN SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace AND relname IN ('archived_task', 'usage_record') LOOP
    FOR ahead IN 0..months_ahead LOOP
      made := made + make_partition(of_parent, (this_month + ahead * interval '1 month') AT TIME ZONE 'UTC')::integer;
    END LOOP;
  END LOOP;
  RETURN made;
END $$;

-- Moves tasks that were over at that moment, with all that belongs to them. A task whose files are still there, whose pushes are
-- owed, or whose hold, bill and entries do not agree stays where it is. Returns how many it moved.
CREATE FUNCTION archive_tasks(finished_before timestamptz, most integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  chosen text[];
  month timestamp;
BEGIN
  IF finished_before > now() - interval '7 days' THEN
    RAISE EXCEPTION 'a task is archived when it has been over for a week' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7404273) THEN RETURN 0; END IF;
  SELECT array_agg(due.id) INTO chosen FROM (
    SELECT t.id FROM "task" t
    WHERE t.step = 'done' AND t.deleted_at IS NULL AND (t.status <> 'succeeded' OR t.media_purged_at IS NOT NULL) AND t.completed_at < finished_before
      AND NOT EXISTS (SELECT 1 FROM "media" m WHERE m.task_id = t.id AND m.removed_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM "callback_push" p WHERE p.task_id = t.id AND p.state = 'pending')
      AND EXISTS (
        SELECT 1 FROM "hold" h CROSS JOIN LATERAL (
          SELECT coalesce(sum(e.quota) FILTER (WHERE e.kind = 'hold'), 0) AS held, coalesce(sum(e.quota) FILTER (WHERE e.kind = 'charge'), 0) AS charged,
            coalesce(sum(e.quota) FILTER (WHERE e.kind = 'release'), 0) AS released, bool_and(e.account_id = t.account_id) AS is_own
          FROM "ledger_entry" e WHERE e.task_id = t.id) e
        WHERE h.task_id = t.id AND h.state = 'closed' AND h.account_id = t.account_id AND h.quota = t.max_quota AND h.charged_quota = t.billed_quota
          AND e.is_own AND e.held = h.quota AND e.charged = h.charged_quota AND e.charged + e.released = h.quota)
    ORDER BY t.completed_at LIMIT most FOR UPDATE OF t SKIP LOCKED) due;
  -- Every delivery starts and ends at the callback's row: while it is locked, none is asked for.
  chosen := ARRAY(
    SELECT id FROM unnest(chosen) id WHERE NOT EXISTS (SELECT 1 FROM "callback" c WHERE c.task_id = id)
    UNION ALL
    SELECT * FROM (SELECT c.task_id FROM "callback" c WHERE c.task_id = ANY (chosen) AND c.settled_sequence >= c.newest_sequence AND c.manual_at IS NULL
      AND (c.claimed_until IS NULL OR c.claimed_until < now()) ORDER BY c.task_id FOR UPDATE SKIP LOCKED) settled);
  FOR month IN SELECT DISTINCT date_trunc('month', t.completed_at AT TIME ZONE 'UTC') FROM "task" t WHERE t.id = ANY (chosen) LOOP
    PERFORM make_partition('archived_task', month AT TIME ZONE 'UTC');
  END LOOP;
  INSERT INTO "archived_task" (task_id, account_id, key_id, model, status, created_at, completed_at, billed_seconds, billed_quota, held_quota, charged_quota, task, details)
  SELECT t.id, t.account_id, t.key_id, t.model, t.status, t.created_at, t.completed_at, t.billed_seconds, t.billed_quota, h.quota, h.charged_quota, to_jsonb(t),
    jsonb_build_object('hold', jsonb_build_array(to_jsonb(h)),
      'task_event', (SELECT coalesce(jsonb_agg(to_jsonb(e) ORDER BY e.sequence), '[]') FROM "task_event" e WHERE e.task_id = t.id),
      'task_try', (SELECT coalesce(jsonb_agg(to_jsonb(y) ORDER BY y.number), '[]') FROM "task_try" y WHERE y.task_id = t.id),
      'media', (SELECT coalesce(jsonb_agg(to_jsonb(m)), '[]') FROM "media" m WHERE m.task_id = t.id),
      'callback', (SELECT coalesce(jsonb_agg(to_jsonb(c) - 'challenge'), '[]') FROM "callback" c WHERE c.task_id = t.id),
      'callback_push', (SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.sequence), '[]') FROM "callback_push" p WHERE p.task_id = t.id),
      'callback_attempt', (SELECT coalesce(jsonb_agg(to_jsonb(a) ORDER BY a.id COLLATE "C"), '[]') FROM "callback_attempt" a WHERE a.task_id = t.id))
  FROM "task" t JOIN "hold" h ON h.task_id = t.id WHERE t.id = ANY (chosen);
  DELETE FROM "task" WHERE id = ANY (chosen);
  DELETE FROM "hold" WHERE task_id = ANY (chosen);
  RETURN cardinality(chosen);
END $$;

-- Drops the oldest month of the archive that was over at that moment, once its bills are in the sums by day. Returns its name.
CREATE FUNCTION drop_archive(finished_before timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  found_one "data_partition";
  rows_there bigint;
BEGIN
  IF finished_before > now() - interval '90 days' THEN
    RAISE EXCEPTION 'an archive is kept for 90 days at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7404273) THEN RETURN NULL; END IF;
  SELECT * INTO found_one FROM "data_partition" WHERE "parent" = 'archived_task' AND "dropped_at" IS NULL AND "until_at" <= finished_before ORDER BY "from_at" LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;
  EXECUTE format('LOCK TABLE %I IN SHARE MODE', found_one.name);
  EXECUTE format('
    INSERT INTO "usage_day" AS u (account_id, day, model, key_id, kind, requests, seconds, cost_nano)
    SELECT account_id, (completed_at AT TIME ZONE ''UTC'')::date, model, key_id, ''video'', count(*), sum(billed_seconds), sum(billed_quota) * 1000000000 FROM %I GROUP BY 1, 2, 3, 4
    ON CONFLICT (account_id, day, model, key_id, kind) DO UPDATE SET requests = u.requests + excluded.requests, seconds = u.seconds + excluded.seconds, cost_nano = u.cost_nano + excluded.cost_nano', found_one.name);
  EXECUTE format('SELECT count(*) FROM %I', found_one.name) INTO rows_there;
  UPDATE "data_partition" SET "dropped_at" = now(), "dropped_rows" = rows_there WHERE "id" = found_one.id;
  EXECUTE format('DROP TABLE %I', found_one.name);
  RETURN found_one.name;
END $$;

-- Services of the version before go on deleting tasks: the trigger looks into the archive as whoever deletes.
DO $$
DECLARE reader record;
BEGIN
  FOR reader IN SELECT a.grantee::regrole AS role FROM pg_class t, aclexplode(t.relacl) a
    WHERE t.oid = '"task"'::regclass AND a.privilege_type = 'SELECT' AND a.grantee <> 0 AND a.grantee <> t.relowner
  LOOP
    EXECUTE format('GRANT SELECT ON "archived_task" TO %s', reader.role);
  END LOOP;
END $$;

-- Nobody but whom the migrator names (prisma/roles.ts).
REVOKE ALL ON FUNCTION make_partition(text, timestamptz), make_partitions(integer), archive_tasks(timestamptz, integer), drop_archive(timestamptz) FROM PUBLIC;

SELECT make_partitions(3);
