-- When an operator suspended the account: from then on it begins no new work. Null: it is not suspended.
ALTER TABLE "account" ADD COLUMN "suspended_at" TIMESTAMPTZ(3);

-- Reading and rotating the callback secret takes a scope of its own. Keys that could do it until now go on.
UPDATE "api_key" SET "scopes" = array_append("scopes", 'secrets:read')
WHERE 'videos:write' = ANY ("scopes") AND NOT 'secrets:read' = ANY ("scopes");

-- The key of what is shown in place of counted ids. Made once and never changed: ids that were shown stay the same.
CREATE TABLE "id_cipher" (
    "singleton" BOOLEAN NOT NULL DEFAULT true,
    "key" BYTEA NOT NULL,

    CONSTRAINT "id_cipher_pkey" PRIMARY KEY ("singleton")
);
ALTER TABLE "id_cipher" ADD CONSTRAINT "id_cipher_once" CHECK ("singleton"), ADD CONSTRAINT "id_cipher_length" CHECK (length("key") = 16);
INSERT INTO "id_cipher" ("key") SELECT substring(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')) FOR 16);
CREATE TRIGGER "id_cipher_append_only" BEFORE UPDATE OR DELETE ON "id_cipher" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "id_cipher_never_emptied" BEFORE TRUNCATE ON "id_cipher" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Bytes that uploads under way may still store, so that uploads that run at the same time cannot pass the account's limit together.
ALTER TABLE "asset" ADD COLUMN "reserved_bytes" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "asset" ADD CONSTRAINT "asset_reserved" CHECK ("reserved_bytes" >= 0) NOT VALID;
ALTER TABLE "account_assets" ADD COLUMN "reserved_bytes" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "account_assets" ADD CONSTRAINT "account_assets_reserved" CHECK ("reserved_bytes" >= 0) NOT VALID;

CREATE OR REPLACE FUNCTION count_asset() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  bytes_before bigint := 0;
  bytes_after bigint := 0;
  reserved_before bigint := 0;
  reserved_after bigint := 0;
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.state = 'ready' THEN bytes_before := OLD.size_bytes; END IF;
  IF TG_OP <> 'DELETE' AND NEW.state = 'ready' THEN bytes_after := NEW.size_bytes; END IF;
  IF TG_OP <> 'INSERT' AND OLD.state = 'uploading' THEN reserved_before := OLD.reserved_bytes; END IF;
  IF TG_OP <> 'DELETE' AND NEW.state = 'uploading' THEN reserved_after := NEW.reserved_bytes; END IF;
  IF bytes_after <> bytes_before OR reserved_after <> reserved_before THEN
    UPDATE account_assets SET bytes = bytes + bytes_after - bytes_before, reserved_bytes = reserved_bytes + reserved_after - reserved_before
    WHERE account_id = coalesce(NEW.account_id, OLD.account_id);
  END IF;
  RETURN NULL;
END $$;
