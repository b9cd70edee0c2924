-- CreateTable
CREATE TABLE "usage_open" (
    "id" TEXT NOT NULL,
    "replica" TEXT NOT NULL,
    "record" JSONB NOT NULL,

    CONSTRAINT "usage_open_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_lease" (
    "replica" TEXT NOT NULL,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_lease_pkey" PRIMARY KEY ("replica")
);

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

-- The row is found by its id and taken into the books by its record's.
ALTER TABLE "usage_open" ADD CONSTRAINT "usage_open_record" CHECK ("record"->>'id' IS NOT DISTINCT FROM "id");

-- Rows of running answers are rewritten every second: room beside each keeps that inside its page.
ALTER TABLE "usage_open" SET (fillfactor = 50);
