-- The running audit reads what was written since it last looked. Tables whose rows have no number in the order of writing get
-- one: rows from before have none, so that no table is rewritten.
CREATE SEQUENCE "task_event_serial_seq";
CREATE SEQUENCE "callback_attempt_serial_seq";
CREATE SEQUENCE "usage_record_serial_seq";
CREATE SEQUENCE "usage_uncollected_serial_seq";
CREATE SEQUENCE "deleted_task_serial_seq";

-- AlterTable
ALTER TABLE "task_event" ADD COLUMN "serial" BIGINT, ALTER COLUMN "serial" SET DEFAULT nextval('task_event_serial_seq'::regclass);
ALTER TABLE "callback_attempt" ADD COLUMN "serial" BIGINT, ALTER COLUMN "serial" SET DEFAULT nextval('callback_attempt_serial_seq'::regclass);
ALTER TABLE "usage_record" ADD COLUMN "serial" BIGINT, ALTER COLUMN "serial" SET DEFAULT nextval('usage_record_serial_seq'::regclass);
ALTER TABLE "usage_uncollected" ADD COLUMN "serial" BIGINT, ALTER COLUMN "serial" SET DEFAULT nextval('usage_uncollected_serial_seq'::regclass);
ALTER TABLE "deleted_task" ADD COLUMN "serial" BIGINT, ALTER COLUMN "serial" SET DEFAULT nextval('deleted_task_serial_seq'::regclass);

ALTER SEQUENCE "task_event_serial_seq" OWNED BY "task_event"."serial";
ALTER SEQUENCE "callback_attempt_serial_seq" OWNED BY "callback_attempt"."serial";
ALTER SEQUENCE "usage_record_serial_seq" OWNED BY "usage_record"."serial";
ALTER SEQUENCE "usage_uncollected_serial_seq" OWNED BY "usage_uncollected"."serial";
ALTER SEQUENCE "deleted_task_serial_seq" OWNED BY "deleted_task"."serial";

-- Services that run while this is applied go on inserting: who may insert may draw a number, from this moment on.
DO $$
DECLARE granted record;
BEGIN
  FOR granted IN
    SELECT s.relname AS sequence, a.grantee::regrole AS role
    FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S' JOIN pg_class t ON t.oid = d.refobjid, aclexplode(t.relacl) a
    WHERE d.deptype = 'a' AND s.relnamespace = current_schema()::regnamespace AND s.relname LIKE '%\_serial\_seq'
      AND a.privilege_type = 'INSERT' AND a.grantee <> 0 AND a.grantee <> t.relowner
  LOOP
    EXECUTE format('GRANT USAGE ON SEQUENCE %I TO %s', granted.sequence, granted.role);
  END LOOP;
END $$;

-- CreateTable
CREATE TABLE "audit_watermark" (
    "singleton" BOOLEAN NOT NULL DEFAULT true,
    "positions" JSONB NOT NULL DEFAULT '{}',
    "claim" TEXT NOT NULL DEFAULT '',
    "claimed_until" TIMESTAMPTZ(3) NOT NULL DEFAULT '-infinity',

    CONSTRAINT "audit_watermark_pkey" PRIMARY KEY ("singleton")
);

-- CreateTable
CREATE TABLE "audit_mark" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_transaction" BIGINT NOT NULL,
    "positions" JSONB NOT NULL,

    CONSTRAINT "audit_mark_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_account" (
    "account_id" TEXT NOT NULL,
    "balance" BIGINT NOT NULL DEFAULT 0,
    "held" BIGINT NOT NULL DEFAULT 0,
    "text_charged" BIGINT NOT NULL DEFAULT 0,
    "debt_paid" BIGINT NOT NULL DEFAULT 0,
    "text_missing" BIGINT NOT NULL DEFAULT 0,
    "debt_owed" BIGINT NOT NULL DEFAULT 0,
    "text_cost_nano" DECIMAL(40,0) NOT NULL DEFAULT 0,

    CONSTRAINT "audit_account_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "audit_lease" (
    "lease_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "is_mixed" BOOLEAN NOT NULL DEFAULT false,
    "held" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "audit_lease_pkey" PRIMARY KEY ("lease_id")
);

-- CreateTable
CREATE TABLE "audit_exposure" (
    "kind" TEXT NOT NULL,
    "count" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "audit_exposure_pkey" PRIMARY KEY ("kind")
);

-- CreateTable
CREATE TABLE "audit_check" (
    "invariant" TEXT NOT NULL,
    "since" JSONB NOT NULL,
    "checked_at" TIMESTAMPTZ(3),
    "failure" TEXT,
    "findings" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "audit_check_pkey" PRIMARY KEY ("invariant")
);

-- CreateTable
CREATE TABLE "audit_full" (
    "singleton" BOOLEAN NOT NULL DEFAULT true,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "position" JSONB,
    "findings" JSONB NOT NULL DEFAULT '[]',
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "audit_full_pkey" PRIMARY KEY ("singleton")
);

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.
ALTER TABLE "audit_watermark" SET (fillfactor = 50), ADD CONSTRAINT "audit_watermark_once" CHECK ("singleton");
ALTER TABLE "audit_full" ADD CONSTRAINT "audit_full_once" CHECK ("singleton");
INSERT INTO "audit_watermark" DEFAULT VALUES;
