-- What agents may spend through /mcp: one row a budget, and one for each creation that was set aside. New, empty tables.

-- CreateTable
CREATE TABLE "agent_budget" (
    "key_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "used_quota" BIGINT NOT NULL,

    CONSTRAINT "agent_budget_pkey" PRIMARY KEY ("key_id","name")
);

-- CreateTable
CREATE TABLE "agent_budget_use" (
    "key_id" TEXT NOT NULL,
    "budget" TEXT NOT NULL,
    "creation" TEXT NOT NULL,
    "quota" BIGINT NOT NULL,
    "task_id" TEXT,
    "settled" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_budget_use_pkey" PRIMARY KEY ("key_id","budget","creation")
);

-- AddForeignKey
ALTER TABLE "agent_budget_use" ADD CONSTRAINT "agent_budget_use_key_id_budget_fkey" FOREIGN KEY ("key_id", "budget") REFERENCES "agent_budget"("key_id", "name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

ALTER TABLE "agent_budget" ADD CONSTRAINT "agent_budget_used_is_no_debt" CHECK ("used_quota" BETWEEN 0 AND 9007199254740991);
ALTER TABLE "agent_budget_use" ADD CONSTRAINT "agent_budget_use_quota_is_no_debt" CHECK ("quota" BETWEEN 0 AND 9007199254740991);
-- Of each budget the unsettled ones are looked for.
CREATE INDEX "agent_budget_use_unsettled_idx" ON "agent_budget_use" ("key_id", "budget") WHERE NOT "settled";
