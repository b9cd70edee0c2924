-- A price may be more than seconds of output: then its rules, what it was summed of and its items stand beside the quota, and
-- the items make the sum. Rows without them mean what they meant, also those that the version before still writes.
ALTER TABLE "hold" ADD COLUMN "price" JSONB;
ALTER TABLE "task" ADD COLUMN "price" JSONB, ADD COLUMN "billed_items" JSONB;

-- What vendors asked for.
ALTER TABLE "task_try" ADD COLUMN "cost_source" TEXT;
ALTER TABLE "exposure" ADD COLUMN "vendor_cost" DECIMAL(24,12), ADD COLUMN "vendor_currency" TEXT, ADD COLUMN "cost_source" TEXT;
ALTER TABLE "deleted_task" ADD COLUMN "provider" TEXT, ADD COLUMN "vendor_costs" JSONB;

CREATE FUNCTION items_quota(items jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT coalesce(sum((i ->> 'quota')::bigint), 0)::bigint FROM jsonb_array_elements(items) AS i $$;

-- Validated by the next migration, which stops no writer.
ALTER TABLE "hold" DROP CONSTRAINT "hold_price",
  ADD CONSTRAINT "hold_price" CHECK ("seconds" >= 1 AND "second_quota" >= 0
    AND "quota" = CASE WHEN "price" IS NULL THEN "seconds" * "second_quota" ELSE items_quota("price" -> 'items') END) NOT VALID;
ALTER TABLE "task" DROP CONSTRAINT "task_price", DROP CONSTRAINT "task_bill",
  ADD CONSTRAINT "task_price" CHECK ("reserved_seconds" >= 1 AND "second_quota" >= 0
    AND "max_quota" = CASE WHEN "price" IS NULL THEN "reserved_seconds" * "second_quota" ELSE items_quota("price" -> 'items') END) NOT VALID,
  ADD CONSTRAINT "task_bill" CHECK ("billed_seconds" BETWEEN 0 AND "reserved_seconds" AND "billed_quota" BETWEEN 0 AND "max_quota"
    AND "billed_quota" = CASE WHEN "price" IS NULL THEN "billed_seconds" * "second_quota" ELSE coalesce(items_quota("billed_items"), 0) END
    AND ("price" IS NOT NULL OR "billed_items" IS NULL)) NOT VALID;
ALTER TABLE "task_try"
  ADD CONSTRAINT "task_try_cost_source" CHECK (("cost_source" IS NULL) = ("vendor_cost" IS NULL) AND "cost_source" IN ('reported', 'calculated')) NOT VALID;
ALTER TABLE "exposure"
  ADD CONSTRAINT "exposure_cost" CHECK (("cost_source" IS NULL) = ("vendor_cost" IS NULL) AND ("vendor_cost" IS NULL) = ("vendor_currency" IS NULL)
    AND "cost_source" IN ('reported', 'calculated')) NOT VALID;

-- The price is among what a task has from its hold, and among the terms of a hold that nobody changes.
CREATE OR REPLACE FUNCTION refuse_other_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM "hold" h WHERE h."task_id" = NEW."id"
      AND (h."account_id", h."seconds", h."second_quota", h."quota", h."price")
        IS DISTINCT FROM (NEW."account_id", NEW."reserved_seconds", NEW."second_quota", NEW."max_quota", NEW."price")) THEN
    RAISE EXCEPTION 'task % does not cost what is held for it', NEW."id" USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER "task_costs_what_is_held" ON "task";
CREATE TRIGGER "task_costs_what_is_held" AFTER INSERT OR UPDATE OF "id", "account_id", "reserved_seconds", "second_quota", "max_quota", "price" ON "task"
  FOR EACH ROW EXECUTE FUNCTION refuse_other_price();
DROP TRIGGER "hold_terms_are_final" ON "hold";
CREATE TRIGGER "hold_terms_are_final" AFTER UPDATE OF "task_id", "account_id", "seconds", "second_quota", "quota", "price" ON "hold"
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
