-- Usage in a partition for each month of its ids. No row is moved or read: the table becomes the first partition. Services that run
-- meanwhile wait for a moment and go on.
-- The functions below run as the owner: nobody may put a temporary table of the same name before theirs.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE "usage_record" RENAME TO "usage_record_before";
ALTER INDEX "usage_record_pkey" RENAME TO "usage_record_before_pkey";
ALTER INDEX "usage_record_account_id_started_at_idx" RENAME TO "usage_record_before_account_id_started_at_idx";
ALTER INDEX "usage_record_serial_idx" RENAME TO "usage_record_before_serial_idx";
DROP TRIGGER "usage_record_append_only" ON "usage_record_before";

CREATE TABLE "usage_record" (LIKE "usage_record_before" INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE ("id");
ALTER TABLE "usage_record" DROP CONSTRAINT "usage_record_bound";
ALTER TABLE "usage_record"
  ADD CONSTRAINT "usage_record_pkey" PRIMARY KEY ("id"),
  ADD CONSTRAINT "usage_record_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id");
CREATE INDEX "usage_record_account_id_started_at_idx" ON "usage_record"("account_id", "started_at");
CREATE INDEX "usage_record_serial_idx" ON "usage_record"("serial") WHERE "serial" IS NOT NULL;
ALTER SEQUENCE "usage_record_serial_seq" OWNED BY "usage_record"."serial";

DO $$
DECLARE
  month timestamptz := (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC';
  bound text := (SELECT substring(pg_get_constraintdef(oid) FROM '''(usage_[0-9a-z]+)''') FROM pg_constraint WHERE conrelid = '"usage_record_before"'::regclass AND conname = 'usage_record_bound');
  granted record;
BEGIN
  -- Made in a month before, if the migrations were interrupted.
  WHILE first_id('usage', month) > bound LOOP
    month := (month AT TIME ZONE 'UTC' - interval '1 month') AT TIME ZONE 'UTC';
  END LOOP;
  EXECUTE format('ALTER TABLE "usage_record" ATTACH PARTITION "usage_record_before" FOR VALUES FROM (MINVALUE) TO (%L)', bound);
  INSERT INTO "data_partition" ("name", "parent", "from_at", "until_at") VALUES ('usage_record_before', 'usage_record', '-infinity', month);
  -- Services that run while this is applied go on inserting.
  FOR granted IN SELECT a.grantee::regrole AS role, a.privilege_type AS privilege FROM pg_class t, aclexplode(t.relacl) a
    WHERE t.oid = '"usage_record_before"'::regclass AND a.grantee <> 0 AND a.grantee <> t.relowner
  LOOP
    EXECUTE format('GRANT %s ON "usage_record" TO %s', granted.privilege, granted.role);
    EXECUTE format('REVOKE %s ON "usage_record_before" FROM %s', granted.privilege, granted.role);
  END LOOP;
END $$;
ALTER TABLE "usage_record_before" DROP CONSTRAINT "usage_record_bound";
-- A record is never lost for want of its month.
CREATE TABLE "usage_record_default" PARTITION OF "usage_record" DEFAULT;

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.
CREATE TRIGGER "usage_record_append_only" BEFORE UPDATE OR DELETE ON "usage_record" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "usage_record_never_emptied" BEFORE TRUNCATE ON "usage_record" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "never_emptied" BEFORE TRUNCATE ON "usage_record_default" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Replaces the oldest partition whose ids are all of before that moment by its sums by day. Both are one transaction: no record is
-- counted twice or lost. Only what the audit has in its checkpoints. Returns its name.
CREATE FUNCTION roll_up_usage(asked_before timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  found_one "data_partition";
  rows_there bigint;
  audited bigint := (SELECT ("positions" ->> 'usage_record')::bigint FROM "audit_watermark");
  is_ahead boolean;
BEGIN
  IF asked_before > now() - interval '31 days' THEN
    RAISE EXCEPTION 'single records of usage are kept for 31 days at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7404273) THEN RETURN NULL; END IF;
  SELECT * INTO found_one FROM "data_partition" WHERE "parent" = 'usage_record' AND "dropped_at" IS NULL AND "until_at" <= asked_before ORDER BY "from_at" LIMIT 1;
  IF NOT FOUND OR audited IS NULL THEN RETURN NULL; END IF;
  EXECUTE format('LOCK TABLE %I IN SHARE MODE', found_one.name);
  EXECUTE format('SELECT coalesce(max("serial"), 0) > $1, count(*) FROM %I', found_one.name) INTO is_ahead, rows_there USING audited;
  IF is_ahead THEN RETURN NULL; END IF;
  EXECUTE format('
    INSERT INTO "usage_day" AS u (account_id, day, model, key_id, kind, requests, estimated_requests, aborted_requests, input_tokens, cached_input_tokens,
      cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, server_tool_uses, cost_nano)
    SELECT account_id, (started_at AT TIME ZONE ''UTC'')::date, model, key_id, ''text'', count(*), count(*) FILTER (WHERE estimated), count(*) FILTER (WHERE outcome = ''aborted''),
      sum(input_tokens), sum(cached_input_tokens), sum(cache_write_tokens), coalesce(sum(cache_write_1h_tokens), 0), sum(output_tokens), sum(reasoning_tokens),
      coalesce(sum(server_tool_uses), 0), sum(cost_nano)
    FROM %I GROUP BY 1, 2, 3, 4
    ON CONFLICT (account_id, day, model, key_id, kind) DO UPDATE SET requests = u.requests + excluded.requests, estimated_requests = u.estimated_requests + excluded.estimated_requests,
      aborted_requests = u.aborted_requests + excluded.aborted_requests, input_tokens = u.input_tokens + excluded.input_tokens,
      cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens, cache_write_tokens = u.cache_write_tokens + excluded.cache_write_tokens,
      cache_write_1h_tokens = u.cache_write_1h_tokens + excluded.cache_write_1h_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
      reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens, server_tool_uses = u.server_tool_uses + excluded.server_tool_uses, cost_nano = u.cost_nano + excluded.cost_nano', found_one.name);
  UPDATE "data_partition" SET "dropped_at" = now(), "dropped_rows" = rows_there WHERE "id" = found_one.id;
  EXECUTE format('DROP TABLE %I', found_one.name);
  RETURN found_one.name;
END $$;
REVOKE ALL ON FUNCTION roll_up_usage(timestamptz) FROM PUBLIC;

SELECT make_partitions(3);
