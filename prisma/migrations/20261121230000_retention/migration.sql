-- AlterTable
ALTER TABLE "media" ADD COLUMN     "removed_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "task" ADD COLUMN     "media_purged_at" TIMESTAMPTZ(3);

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

ALTER TABLE "task" ADD CONSTRAINT "task_media_purged" CHECK ("media_purged_at" IS NULL OR "status" = 'succeeded');
ALTER TABLE "media" ADD CONSTRAINT "media_removed" CHECK ("removed_at" IS NULL OR "purged_at" IS NOT NULL);

-- Days of 24 hours, whatever the time zone of the session: so an index can hold it.
CREATE FUNCTION retained_until(completed_at timestamptz, retention_days integer) RETURNS timestamp LANGUAGE sql IMMUTABLE
  RETURN (completed_at AT TIME ZONE 'UTC') + retention_days * interval '1 day';
-- What the sweep of the retention time walks: tasks in the order in which their files are due, and files that are still to be removed.
CREATE INDEX "task_retention_idx" ON "task"(retained_until("completed_at", "retention_days")) WHERE "status" = 'succeeded' AND "media_purged_at" IS NULL;
CREATE INDEX "media_to_remove_idx" ON "media"("purged_at") WHERE "purged_at" IS NOT NULL AND "removed_at" IS NULL;
