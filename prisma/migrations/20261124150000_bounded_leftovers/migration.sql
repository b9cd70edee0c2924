-- What had no bound: deleted tasks go into the archive with their holds, exposures of tasks that are gone become sums by day, what text
-- cost and nobody paid becomes sums by month. New functions and one small table; no row is moved or read here.

-- The functions below run as the owner: nobody may put a temporary table of the same name before theirs.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- CreateTable
CREATE TABLE "exposure_day" (
    "day" DATE NOT NULL,
    "kind" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "vendor_cost" DECIMAL(30,12) NOT NULL,

    CONSTRAINT "exposure_day_pkey" PRIMARY KEY ("day","kind","provider","currency")
);

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

ALTER TABLE "exposure_day" ADD CONSTRAINT "exposure_day_sums" CHECK ("count" > 0 AND "vendor_cost" >= 0);
CREATE TRIGGER "exposure_day_never_removed" BEFORE DELETE ON "exposure_day" FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A deleted task's bill goes only when the archive has it.
CREATE FUNCTION remove_archived_bill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT 1 FROM "archived_task" a WHERE a."task_id" = OLD."task_id" AND a."account_id" = OLD."account_id" AND a."billed_quota" = OLD."billed_quota" AND a."deleted_at" = OLD."deleted_at") THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of deleted_task are never changed' USING ERRCODE = 'restrict_violation';
END $$;
DROP TRIGGER "deleted_task_append_only" ON "deleted_task";
CREATE TRIGGER "deleted_task_append_only" BEFORE UPDATE OR DELETE ON "deleted_task" FOR EACH ROW EXECUTE FUNCTION remove_archived_bill();

-- What is owed or missing is summed up by the function below alone: no role of a service may delete or update it anyway.
CREATE FUNCTION refuse_unless_summed_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.sums_up', true) = 'usage_uncollected' THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  RAISE EXCEPTION 'rows of usage_uncollected are never changed' USING ERRCODE = 'restrict_violation';
END $$;
DROP TRIGGER "usage_uncollected_append_only" ON "usage_uncollected";
CREATE TRIGGER "usage_uncollected_append_only" BEFORE UPDATE OR DELETE ON "usage_uncollected" FOR EACH ROW EXECUTE FUNCTION refuse_unless_summed_up();

-- Moves the bills of tasks that their customers deleted into the archive, each with its hold; where bill, hold and entries do not agree
-- they stay. Returns how many it moved.
CREATE FUNCTION archive_deleted_tasks(finished_before timestamptz, most integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  chosen text[];
  month timestamp;
  audited bigint := (SELECT ("positions" ->> 'deleted_task')::bigint FROM "audit_watermark");
BEGIN
  IF finished_before > now() - interval '7 days' THEN
    RAISE EXCEPTION 'a task is archived when it has been over for a week' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF audited IS NULL OR NOT pg_try_advisory_xact_lock(7404273) THEN RETURN 0; END IF;
  SELECT coalesce(array_agg(due.task_id), '{}') INTO chosen FROM (
    SELECT d.task_id FROM "deleted_task" d JOIN "hold" h ON h.task_id = d.task_id CROSS JOIN LATERAL (
      SELECT coalesce(sum(e.quota) FILTER (WHERE e.kind = 'hold'), 0) AS held, coalesce(sum(e.quota) FILTER (WHERE e.kind = 'charge'), 0) AS charged,
        coalesce(sum(e.quota) FILTER (WHERE e.kind = 'release'), 0) AS released, bool_and(e.account_id = d.account_id) AS is_own
      FROM "ledger_entry" e WHERE e.task_id = d.task_id) e
    WHERE d.completed_at < finished_before AND d.deleted_at < finished_before AND (d.serial IS NULL OR d.serial <= audited)
      AND h.state = 'closed' AND h.account_id = d.account_id AND h.charged_quota = d.billed_quota
      AND e.is_own AND e.held = h.quota AND e.charged = h.charged_quota AND e.charged + e.released = h.quota
    ORDER BY d.completed_at LIMIT most) due;
  FOR month IN SELECT DISTINCT date_trunc('month', d.completed_at AT TIME ZONE 'UTC') FROM "deleted_task" d WHERE d.task_id = ANY (chosen) LOOP
    PERFORM make_partition('archived_task', month AT TIME ZONE 'UTC');
  END LOOP;
  INSERT INTO "archived_task" (task_id, account_id, key_id, model, status, created_at, completed_at, deleted_at, billed_seconds, billed_quota, held_quota, charged_quota, details)
  SELECT d.task_id, d.account_id, d.key_id, d.model, d.status, d.created_at, d.completed_at, d.deleted_at, d.billed_seconds, d.billed_quota, h.quota, h.charged_quota,
    jsonb_build_object('deleted_task', jsonb_build_array(to_jsonb(d)))
  FROM "deleted_task" d JOIN "hold" h ON h.task_id = d.task_id WHERE d.task_id = ANY (chosen);
  DELETE FROM "deleted_task" WHERE task_id = ANY (chosen);
  DELETE FROM "hold" WHERE task_id = ANY (chosen);
  RETURN cardinality(chosen);
END $$;

-- Replaces exposures that were noted before that moment by their sums by day, once their tasks are gone from the archive too: until then
-- a margin takes the cost of a try from its exposure. Only what the audit has seen. Returns how many it replaced.
CREATE FUNCTION roll_up_exposures(noted_before timestamptz, most integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  chosen bigint[];
  audited bigint := (SELECT ("positions" ->> 'exposure')::bigint FROM "audit_watermark");
BEGIN
  IF noted_before > now() - interval '90 days' THEN
    RAISE EXCEPTION 'exposures are kept for 90 days at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF audited IS NULL OR NOT pg_try_advisory_xact_lock(7404273) THEN RETURN 0; END IF;
  SELECT coalesce(array_agg(due.id), '{}') INTO chosen FROM (
    SELECT x.id FROM "exposure" x
    WHERE x.created_at < noted_before AND x.id <= audited
      AND NOT EXISTS (SELECT 1 FROM "task" t WHERE t.id = x.task_id)
      AND NOT EXISTS (SELECT 1 FROM "deleted_task" d WHERE d.task_id = x.task_id)
      AND NOT EXISTS (SELECT 1 FROM "archived_task" a WHERE a.task_id = x.task_id)
    ORDER BY x.created_at LIMIT most) due;
  WITH gone AS (DELETE FROM "exposure" WHERE id = ANY (chosen) RETURNING *)
  INSERT INTO "exposure_day" AS s (day, kind, provider, currency, count, vendor_cost)
  SELECT (created_at AT TIME ZONE 'UTC')::date, kind, provider, coalesce(vendor_currency, ''), count(*), coalesce(sum(vendor_cost), 0) FROM gone GROUP BY 1, 2, 3, 4
  ON CONFLICT (day, kind, provider, currency) DO UPDATE SET count = s.count + excluded.count, vendor_cost = s.vendor_cost + excluded.vendor_cost;
  RETURN cardinality(chosen);
END $$;

-- Replaces what text cost and nobody paid, of months that were over at that moment, by one row for each account, month and kind. Only
-- what the audit has in its checkpoints; the sums have no number, as what was there before there were numbers. Returns how many rows it
-- replaced.
CREATE FUNCTION sum_up_uncollected(noted_before timestamptz, most integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  replaced integer;
  audited bigint := (SELECT ("positions" ->> 'usage_uncollected')::bigint FROM "audit_watermark");
BEGIN
  IF noted_before > now() - interval '31 days' THEN
    RAISE EXCEPTION 'single records of usage are kept for 31 days at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF audited IS NULL OR NOT pg_try_advisory_xact_lock(7404273) THEN RETURN 0; END IF;
  -- Here and not as a setting of the function, which only a superuser may give one.
  PERFORM set_config('gateway.sums_up', 'usage_uncollected', true);
  WITH due AS (
    SELECT batch_id, account_id FROM "usage_uncollected"
    WHERE created_at < date_trunc('month', noted_before AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AND batch_id NOT LIKE 'month\_%' AND (serial IS NULL OR serial <= audited) LIMIT most),
  gone AS (DELETE FROM "usage_uncollected" u USING due WHERE u.batch_id = due.batch_id AND u.account_id = due.account_id RETURNING u.*),
  summed AS (
    INSERT INTO "usage_uncollected" AS u (batch_id, account_id, quota, is_debt, created_at, serial)
    SELECT to_char(month, '"month_"YYYY"_"MM') || CASE WHEN is_debt THEN '_debt' ELSE '' END, account_id, sum(quota), is_debt, month AT TIME ZONE 'UTC', NULL
    FROM (SELECT *, date_trunc('month', created_at AT TIME ZONE 'UTC') AS month FROM gone) g GROUP BY month, account_id, is_debt
    ON CONFLICT (batch_id, account_id) DO UPDATE SET quota = u.quota + excluded.quota)
  SELECT count(*) INTO replaced FROM gone;
  PERFORM set_config('gateway.sums_up', '', true);
  RETURN replaced;
END $$;

-- Nobody but whom the migrator names (prisma/roles.ts).
REVOKE ALL ON FUNCTION archive_deleted_tasks(timestamptz, integer), roll_up_exposures(timestamptz, integer), sum_up_uncollected(timestamptz, integer) FROM PUBLIC;
