-- AlterTable
ALTER TABLE "balance" ADD COLUMN     "debt_quota" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "ledger_entry" ADD COLUMN     "lease_id" TEXT;

-- AlterTable
ALTER TABLE "usage_record" ADD COLUMN     "cache_write_1h_tokens" BIGINT,
ADD COLUMN     "server_tool_uses" BIGINT,
ADD COLUMN     "service_tier" TEXT;

-- AlterTable
ALTER TABLE "usage_uncollected" ADD COLUMN     "is_debt" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "text_lease" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "replica" TEXT NOT NULL,
    "held_quota" BIGINT NOT NULL DEFAULT 0,
    "remainder_nano" BIGINT NOT NULL DEFAULT 0,
    "applied_nano" DECIMAL(40,0) NOT NULL DEFAULT 0,
    "sequence" BIGINT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'open',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "text_lease_pkey" PRIMARY KEY ("id")
);

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

-- What text cost and the account did not have: paid before anything else.
ALTER TABLE "balance" ADD CONSTRAINT "balance_debt" CHECK ("debt_quota" >= 0);
CREATE INDEX "balance_debt_idx" ON "balance"("account_id") WHERE "debt_quota" > 0;

-- A lease never owes more than it holds, and holds nothing once it is closed.
ALTER TABLE "text_lease"
  ADD CONSTRAINT "text_lease_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id"),
  ADD CONSTRAINT "text_lease_state" CHECK ("state" IN ('open', 'closed') AND ("state" = 'closed') = ("closed_at" IS NOT NULL)),
  ADD CONSTRAINT "text_lease_quota" CHECK ("remainder_nano" >= 0 AND "remainder_nano" < 1000000000 AND "held_quota" * 1000000000::numeric >= "remainder_nano"),
  ADD CONSTRAINT "text_lease_closed_holds_nothing" CHECK ("state" = 'open' OR ("held_quota" = 0 AND "remainder_nano" = 0));
ALTER TABLE "text_lease" SET (fillfactor = 50);
CREATE INDEX "text_lease_account_idx" ON "text_lease"("account_id") WHERE "state" = 'open';
CREATE INDEX "text_lease_replica_idx" ON "text_lease"("replica") WHERE "state" = 'open';
CREATE INDEX "text_lease_closed_idx" ON "text_lease"("closed_at") WHERE "state" = 'closed';

-- What moves held quota names the task or the lease that it is held for.
ALTER TABLE "ledger_entry"
  DROP CONSTRAINT "ledger_entry_kind",
  DROP CONSTRAINT "ledger_entry_task",
  ADD CONSTRAINT "ledger_entry_kind" CHECK (("kind", "debit", "credit") IN (
    ('top_up', 'operator:issued', 'available'),
    ('hold', 'available', 'held'),
    ('lease', 'available', 'held'),
    ('charge', 'held', 'operator:revenue'),
    ('charge', 'available', 'operator:revenue'),
    ('debt', 'available', 'operator:revenue'),
    ('release', 'held', 'available'),
    ('adjustment', 'operator:issued', 'available'),
    ('adjustment', 'available', 'operator:issued'))),
  ADD CONSTRAINT "ledger_entry_task" CHECK (
    (("task_id" IS NOT NULL)::int + ("lease_id" IS NOT NULL)::int = ("debit" = 'held' OR "credit" = 'held')::int)
    AND ("kind" <> 'hold' OR "task_id" IS NOT NULL) AND ("kind" <> 'lease' OR "lease_id" IS NOT NULL));
