-- AlterTable
ALTER TABLE "ledger_entry" ADD COLUMN     "adjustment_key" TEXT,
ADD COLUMN     "corrected_task_id" TEXT;

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

-- Nobody adjusts a balance without a reason and a key. Rows from before are not read: that would stop all writers.
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_adjustment" CHECK (
  CASE WHEN "kind" = 'adjustment'
    THEN "quota" > 0 AND coalesce(length("adjustment_key"), 0) BETWEEN 1 AND 255 AND btrim(coalesce("note", '')) <> ''
    ELSE "adjustment_key" IS NULL AND "corrected_task_id" IS NULL END) NOT VALID;
