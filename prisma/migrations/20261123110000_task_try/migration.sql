-- One row for each route that a task was handed to: opened and put off by the statements that do so to its task, and ended with it.
CREATE TABLE "task_try" (
    "task_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "upstream_model" TEXT NOT NULL,
    "vendor_task_id" TEXT,
    "submissions" INTEGER NOT NULL DEFAULT 1,
    "outcome" TEXT,
    "detail" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "submitted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "accepted_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "vendor_cost" DECIMAL(24,12),
    "vendor_currency" TEXT,

    CONSTRAINT "task_try_pkey" PRIMARY KEY ("task_id","number")
);

-- AddForeignKey
ALTER TABLE "task_try" ADD CONSTRAINT "task_try_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Which try an exposure comes from. Rows from before have none.
ALTER TABLE "exposure" ADD COLUMN "try_number" INTEGER;

-- What follows Prisma's language cannot say.
ALTER TABLE "task_try"
  ADD CONSTRAINT "task_try_number" CHECK ("number" >= 1 AND "submissions" >= 1),
  ADD CONSTRAINT "task_try_outcome" CHECK ("outcome" IN ('accepted', 'refused', 'not_sent', 'busy', 'unavailable', 'unknown', 'succeeded', 'failed', 'cancelled', 'abandoned')),
  ADD CONSTRAINT "task_try_ends" CHECK (("ended_at" IS NULL) = ("outcome" IS NULL OR "outcome" = 'accepted')),
  ADD CONSTRAINT "task_try_cost" CHECK (("vendor_cost" IS NULL) = ("vendor_currency" IS NULL));
-- At most one vendor has a task at any time.
CREATE UNIQUE INDEX "task_try_open_idx" ON "task_try"("task_id") WHERE "ended_at" IS NULL;

-- What a new status says about the open try, whoever writes it: also a worker of the version before, which knows of no tries.
CREATE FUNCTION follow_task() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE task_try SET
    vendor_task_id = coalesce(NEW.vendor_task_id, vendor_task_id),
    accepted_at = CASE WHEN NEW.status = 'running' THEN now() ELSE accepted_at END,
    ended_at = CASE WHEN NEW.status = 'running' THEN NULL ELSE now() END,
    outcome = CASE
      WHEN NEW.status = 'running' THEN 'accepted'
      WHEN NEW.status = 'expired' THEN 'abandoned'
      WHEN NEW.status <> 'failed' THEN NEW.status
      WHEN NEW.failure_code = 'submission_unknown' THEN 'unknown'
      WHEN OLD.status = 'queued' THEN 'refused'
      ELSE 'failed' END
  WHERE task_id = NEW.id AND ended_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER "task_try_follows" AFTER UPDATE ON "task" FOR EACH ROW
  WHEN (OLD."status" <> NEW."status" AND NEW."status" <> 'queued') EXECUTE FUNCTION follow_task();
