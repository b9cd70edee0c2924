-- AlterTable
ALTER TABLE "callback" ADD COLUMN     "manual_at" TIMESTAMPTZ(3),
ADD COLUMN     "verified_at" TIMESTAMPTZ(3),
ADD COLUMN     "waiting_since" TIMESTAMPTZ(3);

-- What was verified before there was a column to say so.
UPDATE "callback" c SET "verified_at" = now()
WHERE c."state" = 'verified'
  OR EXISTS (SELECT 1 FROM "callback_attempt" a WHERE a."task_id" = c."task_id" AND a."sequence" IS NULL AND a."class" = 'success');
ALTER TABLE "callback"
  ADD CONSTRAINT "callback_verified" CHECK ("state" <> 'verified' OR "verified_at" IS NOT NULL);
ALTER TABLE "callback_attempt"
  ADD CONSTRAINT "callback_attempt_trigger" CHECK ("trigger" IN ('auto', 'manual'));
-- Redeliveries that were asked for and not begun; the dispatcher's reconciler hurries them.
CREATE INDEX "callback_manual_idx" ON "callback"("task_id") WHERE "manual_at" IS NOT NULL;
