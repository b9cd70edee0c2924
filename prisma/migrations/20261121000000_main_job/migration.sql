-- CreateTable
CREATE TABLE "account" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "prefix" TEXT NOT NULL,
    "scopes" TEXT[],
    "models" TEXT[],
    "requests_per_minute" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "callback_secret" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "callback_secret_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "account_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" BYTEA NOT NULL,
    "task_id" TEXT NOT NULL,
    "created" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("account_id","key")
);

-- CreateTable
CREATE TABLE "balance" (
    "account_id" TEXT NOT NULL,
    "balance" BIGINT NOT NULL DEFAULT 0,
    "held" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "balance_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "hold" (
    "task_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "quota" BIGINT NOT NULL,
    "seconds" INTEGER NOT NULL,
    "second_quota" BIGINT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'open',
    "charged_quota" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "hold_pkey" PRIMARY KEY ("task_id")
);

-- CreateTable
CREATE TABLE "ledger_entry" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "task_id" TEXT,
    "kind" TEXT NOT NULL,
    "quota" BIGINT NOT NULL,
    "debit" TEXT NOT NULL,
    "credit" TEXT NOT NULL,
    "balance_after" BIGINT NOT NULL,
    "held_after" BIGINT NOT NULL,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "task" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "step" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 1,
    "event_sequence" INTEGER NOT NULL DEFAULT 1,
    "request" JSONB NOT NULL,
    "callback_url" TEXT,
    "provider" TEXT NOT NULL,
    "provider_kind" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "upstream_model" TEXT NOT NULL,
    "vendor_task_id" TEXT,
    "vendor_output" JSONB,
    "second_quota" BIGINT NOT NULL,
    "reserved_seconds" INTEGER NOT NULL,
    "max_quota" BIGINT NOT NULL,
    "billed_seconds" INTEGER,
    "billed_quota" BIGINT,
    "failure_code" TEXT,
    "failure_message" TEXT,
    "result" JSONB,
    "step_failures" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "submitting_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "retention_days" INTEGER NOT NULL,

    CONSTRAINT "task_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "task_event" (
    "task_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "task_event_pkey" PRIMARY KEY ("task_id","sequence")
);

-- CreateTable
CREATE TABLE "media" (
    "task_id" TEXT NOT NULL,
    "variant" TEXT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "purged_at" TIMESTAMPTZ(3),

    CONSTRAINT "media_pkey" PRIMARY KEY ("task_id","variant")
);

-- CreateTable
CREATE TABLE "exposure" (
    "id" BIGSERIAL NOT NULL,
    "task_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "vendor_task_id" TEXT,
    "detail" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "exposure_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "callback" (
    "task_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'unverified',
    "stop_reason" TEXT,
    "challenge" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "claim_token" TEXT,
    "claimed_until" TIMESTAMPTZ(3),

    CONSTRAINT "callback_pkey" PRIMARY KEY ("task_id")
);

-- CreateTable
CREATE TABLE "callback_push" (
    "task_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "callback_push_pkey" PRIMARY KEY ("task_id","sequence")
);

-- CreateTable
CREATE TABLE "callback_attempt" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "sequence" INTEGER,
    "attempt" INTEGER NOT NULL,
    "trigger" TEXT NOT NULL DEFAULT 'auto',
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "class" TEXT NOT NULL,
    "http_status" INTEGER,
    "remote_address" TEXT,
    "detail" TEXT,
    "answer_excerpt" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "callback_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_account_id_idx" ON "api_key"("account_id");

-- CreateIndex
CREATE INDEX "callback_secret_account_id_idx" ON "callback_secret"("account_id");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- CreateIndex
CREATE INDEX "hold_account_id_idx" ON "hold"("account_id");

-- CreateIndex
CREATE INDEX "ledger_entry_account_id_id_idx" ON "ledger_entry"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entry_task_id_kind_key" ON "ledger_entry"("task_id", "kind");

-- CreateIndex
CREATE INDEX "task_account_id_id_idx" ON "task"("account_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "exposure_task_id_kind_key" ON "exposure"("task_id", "kind");

-- CreateIndex
CREATE INDEX "callback_attempt_task_id_started_at_idx" ON "callback_attempt"("task_id", "started_at");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "callback_secret" ADD CONSTRAINT "callback_secret_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task" ADD CONSTRAINT "task_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task_event" ADD CONSTRAINT "task_event_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "media" ADD CONSTRAINT "media_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

-- Money
ALTER TABLE "balance"
  ADD CONSTRAINT "balance_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id"),
  ADD CONSTRAINT "balance_never_overdrawn" CHECK ("held" >= 0 AND "held" <= "balance"),
  ADD CONSTRAINT "balance_fits_json" CHECK ("balance" <= 9007199254740991);
-- Room in each page, so that the hot row is updated in place.
ALTER TABLE "balance" SET (fillfactor = 50);

ALTER TABLE "hold"
  ADD CONSTRAINT "hold_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id"),
  ADD CONSTRAINT "hold_state" CHECK ("state" IN ('open', 'closed')),
  ADD CONSTRAINT "hold_price" CHECK ("seconds" >= 1 AND "second_quota" >= 0 AND "quota" = "seconds" * "second_quota"),
  ADD CONSTRAINT "hold_closed_once" CHECK (("state" = 'closed') = ("charged_quota" IS NOT NULL) AND ("state" = 'closed') = ("closed_at" IS NOT NULL)),
  ADD CONSTRAINT "hold_never_overcharged" CHECK ("charged_quota" BETWEEN 0 AND "quota");
CREATE INDEX "hold_open_idx" ON "hold"("created_at") WHERE "state" = 'open';

ALTER TABLE "ledger_entry"
  ADD CONSTRAINT "ledger_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id"),
  ADD CONSTRAINT "ledger_entry_quota" CHECK ("quota" >= 0),
  ADD CONSTRAINT "ledger_entry_kind" CHECK (("kind", "debit", "credit") IN (
    ('top_up', 'operator:issued', 'available'),
    ('hold', 'available', 'held'),
    ('charge', 'held', 'operator:revenue'),
    ('release', 'held', 'available'),
    ('adjustment', 'operator:issued', 'available'),
    ('adjustment', 'available', 'operator:issued'))),
  ADD CONSTRAINT "ledger_entry_task" CHECK (("kind" IN ('hold', 'charge', 'release')) = ("task_id" IS NOT NULL));

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "ledger_entry_append_only" BEFORE UPDATE OR DELETE ON "ledger_entry" FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Tasks
ALTER TABLE "task"
  -- Every task has its hold, for ever; the statement that inserts a task also requires that it is open.
  ADD CONSTRAINT "task_hold_fkey" FOREIGN KEY ("id") REFERENCES "hold"("task_id"),
  ADD CONSTRAINT "task_status" CHECK ("status" IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired')),
  ADD CONSTRAINT "task_step" CHECK (CASE
    WHEN "status" = 'queued' THEN "step" IN ('submit', 'submitting')
    WHEN "status" = 'running' THEN "step" IN ('poll', 'ingest')
    ELSE "step" IN ('late', 'done') END),
  ADD CONSTRAINT "task_price" CHECK ("reserved_seconds" >= 1 AND "second_quota" >= 0 AND "max_quota" = "reserved_seconds" * "second_quota"),
  ADD CONSTRAINT "task_bill" CHECK ("billed_seconds" BETWEEN 0 AND "reserved_seconds" AND "billed_quota" = "billed_seconds" * "second_quota"),
  ADD CONSTRAINT "task_over" CHECK (("status" IN ('queued', 'running')) = ("completed_at" IS NULL) AND ("completed_at" IS NULL) = ("billed_seconds" IS NULL) AND ("billed_seconds" IS NULL) = ("billed_quota" IS NULL)),
  ADD CONSTRAINT "task_succeeded" CHECK (("status" = 'succeeded') = ("result" IS NOT NULL) AND ("status" IN ('failed', 'cancelled', 'expired')) = ("failure_code" IS NOT NULL)),
  ADD CONSTRAINT "task_unbilled_without_success" CHECK ("status" = 'succeeded' OR COALESCE("billed_quota", 0) = 0);
CREATE INDEX "task_unfinished_idx" ON "task"("id") WHERE "step" <> 'done';
CREATE INDEX "task_waiting_idx" ON "task"("provider") WHERE "step" = 'submit';
CREATE INDEX "task_at_vendor_idx" ON "task"("provider") WHERE "step" IN ('submitting', 'poll', 'ingest');

CREATE FUNCTION keep_terminal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'task % is %, which never changes', OLD.id, OLD.status USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "task_terminal_is_final" BEFORE UPDATE ON "task" FOR EACH ROW
  WHEN (OLD."status" IN ('succeeded', 'failed', 'cancelled', 'expired') AND (OLD."status" <> NEW."status" OR OLD."billed_quota" <> NEW."billed_quota"))
  EXECUTE FUNCTION keep_terminal();

ALTER TABLE "task_event"
  ADD CONSTRAINT "task_event_sequence" CHECK ("sequence" >= 1),
  ADD CONSTRAINT "task_event_status" CHECK ("status" IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'));

ALTER TABLE "media"
  ADD CONSTRAINT "media_variant" CHECK ("variant" IN ('content', 'last-frame')),
  ADD CONSTRAINT "media_size" CHECK ("size_bytes" > 0 AND "sha256" ~ '^[0-9a-f]{64}$');

-- Callbacks
ALTER TABLE "callback"
  ADD CONSTRAINT "callback_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task"("id") ON DELETE CASCADE,
  ADD CONSTRAINT "callback_state" CHECK ("state" IN ('unverified', 'verified', 'stopped')),
  ADD CONSTRAINT "callback_stopped" CHECK (("state" = 'stopped') = ("stop_reason" IS NOT NULL) AND ("state" <> 'stopped' OR "due_at" IS NULL)),
  ADD CONSTRAINT "callback_budget" CHECK ("failures" BETWEEN 0 AND 6);
ALTER TABLE "callback_push"
  ADD CONSTRAINT "callback_push_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task"("id") ON DELETE CASCADE,
  ADD CONSTRAINT "callback_push_state" CHECK ("state" IN ('pending', 'delivered', 'superseded', 'stopped'));
-- What the dispatcher still has to deliver, however much was delivered before; its reconciler walks it.
CREATE INDEX "callback_push_pending_idx" ON "callback_push"("task_id") WHERE "state" = 'pending';
ALTER TABLE "callback_attempt"
  ADD CONSTRAINT "callback_attempt_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task"("id") ON DELETE CASCADE;
