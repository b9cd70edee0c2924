-- AlterTable
ALTER TABLE "balance" ADD COLUMN     "text_remainder_nano" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "usage_batch" (
    "id" TEXT NOT NULL,
    "records" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_batch_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_record" (
    "id" TEXT NOT NULL,
    "batch_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "upstream_model" TEXT NOT NULL,
    "dialect" TEXT NOT NULL,
    "upstream_dialect" TEXT NOT NULL,
    "stream" BOOLEAN NOT NULL,
    "outcome" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "cached_input_tokens" BIGINT NOT NULL,
    "cache_write_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "reasoning_tokens" BIGINT NOT NULL,
    "estimated" BOOLEAN NOT NULL,
    "cost_nano" DECIMAL(25,0) NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "first_byte_ms" INTEGER,

    CONSTRAINT "usage_record_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_uncollected" (
    "batch_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "quota" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_uncollected_pkey" PRIMARY KEY ("batch_id","account_id")
);

-- CreateIndex
CREATE INDEX "usage_batch_created_at_idx" ON "usage_batch"("created_at");

-- CreateIndex
CREATE INDEX "usage_record_account_id_started_at_idx" ON "usage_record"("account_id", "started_at");

-- CreateIndex
CREATE INDEX "usage_uncollected_account_id_idx" ON "usage_uncollected"("account_id");

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

-- Less than one unit is owed; from one unit on it is charged.
ALTER TABLE "balance" ADD CONSTRAINT "balance_text_remainder" CHECK ("text_remainder_nano" >= 0 AND "text_remainder_nano" < 1000000000);

ALTER TABLE "usage_record"
  ADD CONSTRAINT "usage_record_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id"),
  ADD CONSTRAINT "usage_record_dialect" CHECK ("dialect" IN ('messages', 'chat') AND "upstream_dialect" IN ('messages', 'chat')),
  ADD CONSTRAINT "usage_record_outcome" CHECK ("outcome" IN ('succeeded', 'failed', 'aborted')),
  ADD CONSTRAINT "usage_record_tokens" CHECK ("input_tokens" >= 0 AND "cached_input_tokens" >= 0 AND "cache_write_tokens" >= 0 AND "output_tokens" >= 0 AND "reasoning_tokens" >= 0),
  ADD CONSTRAINT "usage_record_cost" CHECK ("cost_nano" >= 0),
  ADD CONSTRAINT "usage_record_times" CHECK ("duration_ms" >= 0 AND "first_byte_ms" >= 0);
CREATE TRIGGER "usage_record_append_only" BEFORE UPDATE OR DELETE ON "usage_record" FOR EACH ROW EXECUTE FUNCTION refuse_change();

ALTER TABLE "usage_uncollected"
  ADD CONSTRAINT "usage_uncollected_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id"),
  ADD CONSTRAINT "usage_uncollected_quota" CHECK ("quota" > 0);
CREATE TRIGGER "usage_uncollected_append_only" BEFORE UPDATE OR DELETE ON "usage_uncollected" FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Text is charged after the fact, from what is available and without a task.
ALTER TABLE "ledger_entry"
  DROP CONSTRAINT "ledger_entry_kind",
  DROP CONSTRAINT "ledger_entry_task",
  ADD CONSTRAINT "ledger_entry_kind" CHECK (("kind", "debit", "credit") IN (
    ('top_up', 'operator:issued', 'available'),
    ('hold', 'available', 'held'),
    ('charge', 'held', 'operator:revenue'),
    ('charge', 'available', 'operator:revenue'),
    ('release', 'held', 'available'),
    ('adjustment', 'operator:issued', 'available'),
    ('adjustment', 'available', 'operator:issued'))),
  ADD CONSTRAINT "ledger_entry_task" CHECK (("kind" IN ('hold', 'release') OR ("kind" = 'charge' AND "debit" = 'held')) = ("task_id" IS NOT NULL)),
  ADD CONSTRAINT "ledger_entry_text_charge" CHECK ("kind" <> 'charge' OR "debit" = 'held' OR ("quota" > 0 AND "note" IS NOT NULL));

-- Days of video in GET /v1/usage.
CREATE INDEX "task_completed_idx" ON "task"("account_id", "completed_at") WHERE "completed_at" IS NOT NULL;
