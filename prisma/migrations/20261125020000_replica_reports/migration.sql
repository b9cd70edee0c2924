-- What each running replica says of itself, for the status that operators read: one row for each, renewed while it lives.
CREATE TABLE "replica_report" (
    "id" TEXT NOT NULL,
    "service" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "facts" JSONB NOT NULL,

    CONSTRAINT "replica_report_pkey" PRIMARY KEY ("id")
);
