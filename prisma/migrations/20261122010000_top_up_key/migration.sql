-- A top-up that is asked for again under its key adds nothing: the key is written in the statement that adds the quota.
CREATE TABLE "top_up_key" (
    "account_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "quota" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "top_up_key_pkey" PRIMARY KEY ("account_id","key")
);
ALTER TABLE "top_up_key" ADD CONSTRAINT "top_up_key_length" CHECK (length("key") BETWEEN 1 AND 255);

-- Nobody may forget that quota was given.
CREATE TRIGGER "top_up_key_append_only" BEFORE UPDATE OR DELETE ON "top_up_key" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "top_up_key_never_emptied" BEFORE TRUNCATE ON "top_up_key" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
