-- Which models vendors have said that they do not have: shared by all replicas, and kept when Redis is emptied.
CREATE TABLE "gone_model" (
    "provider" TEXT NOT NULL,
    "upstream_model" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "detail" TEXT NOT NULL,
    "refusals" INTEGER NOT NULL DEFAULT 1,
    "paused_until" TIMESTAMPTZ(3) NOT NULL,
    "trial_task_id" TEXT,

    CONSTRAINT "gone_model_pkey" PRIMARY KEY ("provider","upstream_model")
);

-- What follows Prisma's language cannot say.
ALTER TABLE "gone_model" ADD CONSTRAINT "gone_model_refusals" CHECK ("refusals" >= 1);
