-- Browsers that signed in: a session stands in the table for as long as it is valid, whatever becomes of Redis. A new, empty table.

-- CreateTable
CREATE TABLE "session" (
    "id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "session_hash_key" ON "session"("hash");

-- CreateIndex
CREATE INDEX "session_owner_id_idx" ON "session"("owner", "id" DESC);

-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

ALTER TABLE "session" ADD CONSTRAINT "session_hash_is_sha256" CHECK (octet_length("hash") = 32);
ALTER TABLE "session" ADD CONSTRAINT "session_times" CHECK ("expires_at" > "created_at" AND "last_used_at" >= "created_at");
