-- AlterTable
ALTER TABLE "task" ADD COLUMN     "cancel_requested_at" TIMESTAMPTZ(3),
ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "deleted_task" (
    "task_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,
    "billed_seconds" INTEGER NOT NULL,
    "billed_quota" BIGINT NOT NULL,

    CONSTRAINT "deleted_task_pkey" PRIMARY KEY ("task_id")
);

-- CreateIndex
CREATE INDEX "deleted_task_account_id_completed_at_idx" ON "deleted_task"("account_id", "completed_at");

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

ALTER TABLE "task" ADD CONSTRAINT "task_deleted" CHECK ("deleted_at" IS NULL OR "completed_at" IS NOT NULL);
-- What a deletion has left to do; its reconciler walks it.
CREATE INDEX "task_deleted_idx" ON "task"("id") WHERE "deleted_at" IS NOT NULL;

ALTER TABLE "deleted_task"
  ADD CONSTRAINT "deleted_task_hold_fkey" FOREIGN KEY ("task_id") REFERENCES "hold"("task_id"),
  ADD CONSTRAINT "deleted_task_status" CHECK ("status" IN ('succeeded', 'failed', 'cancelled', 'expired')),
  ADD CONSTRAINT "deleted_task_bill" CHECK ("billed_seconds" >= 0 AND "billed_quota" >= 0 AND ("status" = 'succeeded' OR "billed_quota" = 0));
CREATE TRIGGER "deleted_task_append_only" BEFORE UPDATE OR DELETE ON "deleted_task" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "deleted_task_never_emptied" BEFORE TRUNCATE ON "deleted_task" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
