-- Whose data these are. The id is made once, here, and goes with every copy and restore of the database; the media storage
-- carries it too, so that a service never deletes files of another installation.
CREATE TABLE "installation" (
    "singleton" BOOLEAN NOT NULL DEFAULT true,
    "id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sweep_allowed_files" INTEGER,
    "sweep_allowed_until" TIMESTAMPTZ(3),

    CONSTRAINT "installation_pkey" PRIMARY KEY ("singleton")
);
ALTER TABLE "installation"
  ADD CONSTRAINT "installation_once" CHECK ("singleton"),
  ADD CONSTRAINT "installation_id" CHECK ("id" ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
  ADD CONSTRAINT "installation_sweep_allowed" CHECK (("sweep_allowed_files" IS NULL) = ("sweep_allowed_until" IS NULL) AND "sweep_allowed_files" > 0);
INSERT INTO "installation" ("id") VALUES (gen_random_uuid()::text);
CREATE TRIGGER "installation_never_removed" BEFORE DELETE ON "installation" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "installation_never_emptied" BEFORE TRUNCATE ON "installation" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
