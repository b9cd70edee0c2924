-- CreateTable
CREATE TABLE "stored_response" (
    "account_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "previous_id" TEXT,
    "response" TEXT NOT NULL,
    "item_bytes" INTEGER NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "stored_response_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "stored_item" (
    "account_id" TEXT NOT NULL,
    "response_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "is_output" BOOLEAN NOT NULL,
    "item_id" TEXT,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "stored_item_pkey" PRIMARY KEY ("account_id","response_id","position")
);

-- CreateTable
CREATE TABLE "account_responses" (
    "account_id" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "account_responses_pkey" PRIMARY KEY ("account_id")
);

-- CreateIndex
CREATE INDEX "stored_response_account_id_created_at_idx" ON "stored_response"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "stored_response_created_at_idx" ON "stored_response"("created_at");

-- CreateIndex
CREATE INDEX "stored_item_account_id_item_id_created_at_idx" ON "stored_item"("account_id", "item_id", "created_at");

-- AddForeignKey
ALTER TABLE "stored_item" ADD CONSTRAINT "stored_item_account_id_response_id_fkey" FOREIGN KEY ("account_id", "response_id") REFERENCES "stored_response"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

ALTER TABLE "stored_response"
  ADD CONSTRAINT "stored_response_bytes" CHECK ("item_bytes" >= 0 AND "size_bytes" > "item_bytes");
-- One hot row an account, updated in place.
ALTER TABLE "account_responses" SET (fillfactor = 50),
  ADD CONSTRAINT "account_responses_bytes" CHECK ("bytes" BETWEEN 0 AND 9007199254740991);

-- Whoever writes responses, and however: the bytes follow in the same statement. Accounts are locked in one order.
CREATE FUNCTION count_stored_responses() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO account_responses AS a (account_id, bytes)
    SELECT account_id, sum(size_bytes) FROM changed GROUP BY account_id ORDER BY account_id
    ON CONFLICT (account_id) DO UPDATE SET bytes = a.bytes + excluded.bytes;
  ELSE
    PERFORM 1 FROM account_responses WHERE account_id IN (SELECT account_id FROM changed) ORDER BY account_id FOR NO KEY UPDATE;
    UPDATE account_responses a SET bytes = a.bytes - c.bytes
    FROM (SELECT account_id, sum(size_bytes) AS bytes FROM changed GROUP BY account_id) c WHERE a.account_id = c.account_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "stored_response_adds" AFTER INSERT ON "stored_response" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_stored_responses();
CREATE TRIGGER "stored_response_frees" AFTER DELETE ON "stored_response" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_stored_responses();
