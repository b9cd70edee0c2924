-- Who did what: an entry for each change that an operator makes to an account, a key or a task, written with it.
CREATE TABLE "operator_action" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "via" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "details" JSONB NOT NULL,

    CONSTRAINT "operator_action_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "operator_action_account_id_id_idx" ON "operator_action"("account_id", "id" DESC);

-- What follows Prisma's language cannot say.
ALTER TABLE "operator_action"
  ADD CONSTRAINT "operator_action_via" CHECK ("via" IN ('api', 'command')),
  ADD CONSTRAINT "operator_action_action" CHECK ("action" IN ('account.change', 'key.change', 'task.cancel'));
