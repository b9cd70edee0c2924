-- The ledger in a partition for each month of its numbers. No row is moved or read: the table becomes the first partition, which ends
-- with this month. Services that run meanwhile wait for a moment and go on.
-- The functions below run as the owner: nobody may put a temporary table of the same name before theirs.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE "ledger_entry" RENAME TO "ledger_entry_before";
ALTER INDEX "ledger_entry_pkey" RENAME TO "ledger_entry_before_pkey";
ALTER INDEX "ledger_entry_account_id_id_idx" RENAME TO "ledger_entry_before_account_id_id_idx";
ALTER INDEX "ledger_entry_task_id_kind_key" RENAME TO "ledger_entry_before_task_id_kind_key";
ALTER INDEX "ledger_entry_adjustment_key_idx" RENAME TO "ledger_entry_before_adjustment_key_idx";
DROP TRIGGER "ledger_entry_append_only" ON "ledger_entry_before";

-- CreateTable
CREATE TABLE "adjustment_key" (
    "account_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "quota" BIGINT NOT NULL,
    "note" TEXT NOT NULL,
    "corrected_task_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "adjustment_key_pkey" PRIMARY KEY ("account_id","key")
);

-- CreateTable
CREATE TABLE "ledger_carried" (
    "account_id" TEXT NOT NULL,
    "lease_id" TEXT NOT NULL DEFAULT '',
    "last_entry_id" BIGINT NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "entries" BIGINT NOT NULL,
    "balance" BIGINT NOT NULL,
    "held" BIGINT NOT NULL,
    "text_charged" BIGINT NOT NULL,
    "debt_paid" BIGINT NOT NULL,

    CONSTRAINT "ledger_carried_pkey" PRIMARY KEY ("account_id","lease_id")
);

-- AlterTable
ALTER TABLE "data_partition" ADD COLUMN     "last_at" TIMESTAMPTZ(3);

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

-- An adjustment is asked for under a key once for ever, also when the month of its entry is gone: the key is written in the statement that
-- adjusts the balance.
ALTER TABLE "adjustment_key" ADD CONSTRAINT "adjustment_key_terms" CHECK (length("key") BETWEEN 1 AND 255 AND "quota" <> 0 AND btrim("note") <> '');
INSERT INTO "adjustment_key" ("account_id", "key", "quota", "note", "corrected_task_id", "created_at")
SELECT "account_id", "adjustment_key", CASE WHEN "debit" = 'available' THEN -"quota" ELSE "quota" END, "note", "corrected_task_id", "created_at"
FROM "ledger_entry_before" WHERE "adjustment_key" IS NOT NULL;
CREATE TRIGGER "adjustment_key_append_only" BEFORE UPDATE OR DELETE ON "adjustment_key" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "adjustment_key_never_emptied" BEFORE TRUNCATE ON "adjustment_key" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- An account's sums only ever go on to a later entry; a lease's row goes when nothing of it is carried any more.
CREATE FUNCTION carry_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (NEW.account_id, NEW.lease_id) = (OLD.account_id, OLD.lease_id) AND NEW.last_entry_id > OLD.last_entry_id AND NEW.entries > OLD.entries THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND OLD.lease_id <> '' AND OLD.held = 0 THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of ledger_carried are never changed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "ledger_carried_forward" BEFORE UPDATE OR DELETE ON "ledger_carried" FOR EACH ROW EXECUTE FUNCTION carry_forward();

-- The first number of a month of UTC: a hundred thousand million for each, 38,000 a second all month long.
CREATE FUNCTION first_entry_number(month timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE
  RETURN ((extract(year FROM month AT TIME ZONE 'UTC')::bigint - 2020) * 12 + extract(month FROM month AT TIME ZONE 'UTC')::bigint - 1) * 100000000000;

CREATE TABLE "ledger_entry" (LIKE "ledger_entry_before" INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE ("id");
ALTER TABLE "ledger_entry" DROP CONSTRAINT "ledger_entry_bound";
ALTER TABLE "ledger_entry"
  ADD CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("id"),
  ADD CONSTRAINT "ledger_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id");
CREATE INDEX "ledger_entry_account_id_id_idx" ON "ledger_entry"("account_id", "id");
ALTER SEQUENCE "ledger_entry_id_seq" OWNED BY "ledger_entry"."id";

DO $$
DECLARE
  next_month timestamptz := (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
  granted record;
BEGIN
  EXECUTE format('ALTER TABLE "ledger_entry" ATTACH PARTITION "ledger_entry_before" FOR VALUES FROM (MINVALUE) TO (%s)', first_entry_number(next_month));
  INSERT INTO "data_partition" ("name", "parent", "from_at", "until_at") VALUES ('ledger_entry_before', 'ledger_entry', '-infinity', next_month);
  -- Services that run while this is applied go on inserting.
  FOR granted IN SELECT a.grantee::regrole AS role, a.privilege_type AS privilege FROM pg_class t, aclexplode(t.relacl) a
    WHERE t.oid = '"ledger_entry_before"'::regclass AND a.grantee <> 0 AND a.grantee <> t.relowner
  LOOP
    EXECUTE format('GRANT %s ON "ledger_entry" TO %s', granted.privilege, granted.role);
    EXECUTE format('REVOKE %s ON "ledger_entry_before" FROM %s', granted.privilege, granted.role);
  END LOOP;
END $$;
ALTER TABLE "ledger_entry_before" DROP CONSTRAINT "ledger_entry_bound";
-- An entry is never lost for want of its month.
CREATE TABLE "ledger_entry_default" PARTITION OF "ledger_entry" DEFAULT;

-- Each partition promises for its own entries that a task has one of each kind, and an account one adjustment under each key. Over all of
-- them the hold does, of which there is one for each task and which is closed once, and the key of the adjustment.
CREATE UNIQUE INDEX "ledger_entry_default_task_id_kind_key" ON "ledger_entry_default"("task_id", "kind");
CREATE UNIQUE INDEX "ledger_entry_default_adjustment_key_idx" ON "ledger_entry_default"("account_id", "adjustment_key") WHERE "adjustment_key" IS NOT NULL;

CREATE TRIGGER "ledger_entry_append_only" BEFORE UPDATE OR DELETE ON "ledger_entry" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "ledger_entry_never_emptied" BEFORE TRUNCATE ON "ledger_entry" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "never_emptied" BEFORE TRUNCATE ON "ledger_entry_default" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- As before, for the ledger too.
CREATE OR REPLACE FUNCTION make_partition(of_parent text, month timestamptz) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  until_month timestamptz := (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
  partition text := of_parent || to_char(month AT TIME ZONE 'UTC', '"_y"YYYY"m"MM');
  bounds text[] := CASE of_parent
    WHEN 'usage_record' THEN ARRAY[first_id('usage', month), first_id('usage', until_month)]
    WHEN 'ledger_entry' THEN ARRAY[first_entry_number(month)::text, first_entry_number(until_month)::text]
    ELSE ARRAY[month::text, until_month::text] END;
BEGIN
  IF EXISTS (SELECT 1 FROM "data_partition" p WHERE p."parent" = of_parent AND p."dropped_at" IS NULL AND p."from_at" < until_month AND p."until_at" > month) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', partition, of_parent);
  IF of_parent = 'ledger_entry' THEN
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I ("task_id", "kind")', partition || '_task_id_kind_key', partition);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I ("account_id", "adjustment_key") WHERE "adjustment_key" IS NOT NULL', partition || '_adjustment_key_idx', partition);
  END IF;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', of_parent, partition, bounds[1], bounds[2]);
  EXECUTE format('CREATE TRIGGER never_emptied BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', partition);
  INSERT INTO "data_partition" ("name", "parent", "from_at", "until_at") VALUES (partition, of_parent, month, until_month);
  RETURN true;
EXCEPTION WHEN check_violation THEN
  RETURN false;
END $$;

-- As before; and once a month has begun, entries get its numbers. Numbers never go back, whatever the clock does, and those that were
-- drawn before lie in the month before: a statement under way may still use them.
CREATE OR REPLACE FUNCTION make_partitions(months_ahead integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  this_month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
  first_number bigint := first_entry_number(this_month AT TIME ZONE 'UTC');
  made integer := 0;
  of_parent text;
BEGIN
  IF months_ahead NOT BETWEEN 1 AND 24 THEN
    RAISE EXCEPTION 'partitions are made for 1 to 24 months ahead' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7404273) THEN RETURN 0; END IF;
  FOR of_parent IN SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace AND relname IN ('archived_task', 'usage_record', 'ledger_entry') ORDER BY relname LOOP
    FOR ahead IN 0..months_ahead LOOP
      made := made + make_partition(of_parent, (this_month + ahead * interval '1 month') AT TIME ZONE 'UTC')::integer;
    END LOOP;
  END LOOP;
  IF EXISTS (SELECT 1 FROM "data_partition" WHERE "parent" = 'ledger_entry' AND "dropped_at" IS NULL AND "from_at" = this_month AT TIME ZONE 'UTC')
    AND (SELECT last_value FROM "ledger_entry_id_seq") < first_number THEN
    PERFORM setval('"ledger_entry_id_seq"', first_number);
  END IF;
  RETURN made;
END $$;

-- What each entry of a partition adds to the sums of its account.
CREATE FUNCTION ledger_steps(of_partition text) RETURNS TABLE (
  id bigint, account_id text, lease_id text, created_at timestamptz, balance bigint, held bigint, text_charged bigint, debt_paid bigint
) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY EXECUTE format('
    SELECT id, account_id, lease_id, created_at::timestamptz,
      CASE WHEN debit LIKE ''operator:%%'' THEN quota WHEN credit LIKE ''operator:%%'' THEN -quota ELSE 0 END,
      CASE WHEN credit = ''held'' THEN quota WHEN debit = ''held'' THEN -quota ELSE 0 END,
      CASE WHEN kind = ''charge'' AND task_id IS NULL THEN quota ELSE 0 END, CASE WHEN kind = ''debt'' THEN quota ELSE 0 END FROM %I', of_partition);
END $$;

-- Drops the oldest month of the ledger that was over at that moment, once it is closed, its closings agree with its entries, the audit has
-- it in its checkpoints, and its tasks are in the archive or gone. The sums of each account up to there are carried on, and those of leases
-- that hold something. All of it is one transaction. Returns its name.
CREATE FUNCTION drop_ledger(finished_before timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  found_one "data_partition";
  last_of_all timestamptz;
  last_number bigint;
  rows_there bigint;
  all_closed boolean;
  wrong text;
  audited bigint := (SELECT ("positions" ->> 'ledger_entry')::bigint FROM "audit_watermark");
BEGIN
  IF finished_before > now() - interval '400 days' THEN
    RAISE EXCEPTION 'entries of the ledger are kept for 400 days at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7404273) THEN RETURN NULL; END IF;
  SELECT * INTO found_one FROM "data_partition" WHERE "parent" = 'ledger_entry' AND "dropped_at" IS NULL AND "until_at" <= finished_before ORDER BY "from_at" LIMIT 1;
  IF NOT FOUND OR audited IS NULL THEN RETURN NULL; END IF;
  EXECUTE format('LOCK TABLE %I IN SHARE MODE', found_one.name);
  EXECUTE format('SELECT max("created_at"), coalesce(max("id"), -1), count(*) FROM %I', found_one.name) INTO last_of_all, last_number, rows_there;
  -- What the next audit would have to read is still there, or what a task would have to be compared with when it is archived.
  IF last_number > audited OR last_of_all > finished_before
    OR EXISTS (SELECT 1 FROM "hold" h WHERE h."created_at" <= last_of_all AND (h."state" = 'open'
      OR EXISTS (SELECT 1 FROM "task" t WHERE t."id" = h."task_id") OR EXISTS (SELECT 1 FROM "deleted_task" d WHERE d."task_id" = h."task_id"))) THEN
    RETURN NULL;
  END IF;
  -- Each entry by the closing that it was summed up in: none of an account whose month is still open.
  EXECUTE format('
    SELECT bool_and(s.closed_at IS NOT NULL), min(s.account_id) FILTER (WHERE s.closed_at <= $1
      AND (c.entries, c.balance, c.held, c.text_charged, c.debt_paid) IS DISTINCT FROM (coalesce(k.entries, 0) + s.entries, coalesce(k.balance, 0) + s.balance,
        coalesce(k.held, 0) + s.held, coalesce(k.text_charged, 0) + s.text_charged, coalesce(k.debt_paid, 0) + s.debt_paid))
    FROM (
      SELECT account_id, closed_at, sum(count(*)) OVER w AS entries, sum(sum(balance)) OVER w AS balance, sum(sum(held)) OVER w AS held,
        sum(sum(text_charged)) OVER w AS text_charged, sum(sum(debt_paid)) OVER w AS debt_paid
      FROM (SELECT e.*, (SELECT min(c.last_entry_id) FROM "ledger_closing" c WHERE c.account_id = e.account_id AND c.last_entry_id >= e.id) AS closed_at FROM ledger_steps(%L) e) steps
      GROUP BY account_id, closed_at WINDOW w AS (PARTITION BY account_id ORDER BY closed_at)) s
    LEFT JOIN "ledger_carried" k ON k.account_id = s.account_id AND k.lease_id = ''''
    LEFT JOIN "ledger_closing" c ON c.account_id = s.account_id AND c.last_entry_id = s.closed_at', found_one.name) INTO all_closed, wrong USING last_number;
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'the closings of account % do not agree with its entries in %', wrong, found_one.name USING ERRCODE = 'restrict_violation', HINT = 'npm run admin -- billing verify says which.';
  END IF;
  IF all_closed IS FALSE THEN RETURN NULL; END IF;
  INSERT INTO "ledger_carried" AS k (account_id, lease_id, last_entry_id, last_at, entries, balance, held, text_charged, debt_paid)
  SELECT account_id, '', max(id), max(created_at), count(*), sum(balance), sum(held), sum(text_charged), sum(debt_paid) FROM ledger_steps(found_one.name) GROUP BY account_id
  UNION ALL
  SELECT account_id, lease_id, max(id), max(created_at), count(*), 0, sum(held), 0, 0 FROM ledger_steps(found_one.name) WHERE lease_id IS NOT NULL GROUP BY account_id, lease_id
  ON CONFLICT (account_id, lease_id) DO UPDATE SET last_entry_id = excluded.last_entry_id, last_at = greatest(k.last_at, excluded.last_at), entries = k.entries + excluded.entries,
    balance = k.balance + excluded.balance, held = k.held + excluded.held, text_charged = k.text_charged + excluded.text_charged, debt_paid = k.debt_paid + excluded.debt_paid;
  DELETE FROM "ledger_carried" WHERE lease_id <> '' AND held = 0;
  UPDATE "data_partition" SET "dropped_at" = now(), "dropped_rows" = rows_there, "last_at" = last_of_all WHERE "id" = found_one.id;
  EXECUTE format('DROP TABLE %I', found_one.name);
  RETURN found_one.name;
END $$;

-- Nobody but whom the migrator names (prisma/roles.ts).
REVOKE ALL ON FUNCTION drop_ledger(timestamptz), ledger_steps(text) FROM PUBLIC;

SELECT make_partitions(3);
