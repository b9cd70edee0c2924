-- CreateTable
CREATE TABLE "asset" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'uploading',
    "kind" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "name" TEXT,
    "size_bytes" BIGINT,
    "sha256" TEXT,
    "width" INTEGER,
    "height" INTEGER,
    "duration_seconds" DOUBLE PRECISION,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "asset_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_assets" (
    "account_id" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "account_assets_pkey" PRIMARY KEY ("account_id")
);

-- AddForeignKey
ALTER TABLE "asset" ADD CONSTRAINT "asset_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_assets" ADD CONSTRAINT "account_assets_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.

ALTER TABLE "asset"
  ADD CONSTRAINT "asset_state" CHECK ("state" IN ('uploading', 'ready', 'deleted')),
  ADD CONSTRAINT "asset_kind" CHECK ("kind" IN ('image', 'video', 'audio')),
  ADD CONSTRAINT "asset_ready" CHECK ("state" <> 'ready' OR ("size_bytes" > 0 AND "sha256" IS NOT NULL));
-- A customer's list, newest first, and what is to be removed.
CREATE INDEX "asset_ready_idx" ON "asset"("account_id", "id" DESC) WHERE "state" = 'ready';
CREATE INDEX "asset_unready_idx" ON "asset"("id") WHERE "state" <> 'ready';
-- Live tasks that have references at all: few, and none of the others pays for it.
CREATE INDEX "task_live_references_idx" ON "task"("account_id") WHERE "completed_at" IS NULL AND "request" -> 'references' <> '[]'::jsonb;

-- A task holds on to the file of an asset until it is over. No task begins with an asset that is not ready: the statement
-- that inserts it locks the asset's row, so that what is not in use and deleted stays out of use.
CREATE FUNCTION asset_in_use(asset_id text, owner_id text) RETURNS boolean LANGUAGE sql STABLE
  RETURN EXISTS (
    SELECT 1 FROM task
    WHERE account_id = owner_id AND completed_at IS NULL AND request -> 'references' <> '[]'::jsonb
      AND request -> 'references' @> jsonb_build_array(jsonb_build_object('source', jsonb_build_object('assetId', asset_id))));

-- One hot row an account, updated in place.
ALTER TABLE "account_assets" SET (fillfactor = 50), ADD CONSTRAINT "account_assets_bytes" CHECK ("bytes" >= 0);
INSERT INTO "account_assets" ("account_id") SELECT "id" FROM "account";

CREATE FUNCTION open_account_assets() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO account_assets (account_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER "account_has_assets" AFTER INSERT ON "account" FOR EACH ROW EXECUTE FUNCTION open_account_assets();

-- Whoever writes an asset, and however: the bytes follow in the same transaction.
CREATE FUNCTION count_asset() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  bytes_before bigint := 0;
  bytes_after bigint := 0;
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.state = 'ready' THEN bytes_before := OLD.size_bytes; END IF;
  IF TG_OP <> 'DELETE' AND NEW.state = 'ready' THEN bytes_after := NEW.size_bytes; END IF;
  IF bytes_after <> bytes_before THEN
    UPDATE account_assets SET bytes = bytes + bytes_after - bytes_before WHERE account_id = coalesce(NEW.account_id, OLD.account_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "asset_counts" AFTER INSERT OR UPDATE OR DELETE ON "asset" FOR EACH ROW EXECUTE FUNCTION count_asset();
