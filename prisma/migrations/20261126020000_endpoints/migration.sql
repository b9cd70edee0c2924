-- Addresses that an account keeps, to which every status of its tasks is pushed beside the address of the task itself. New, empty
-- tables: a dispatcher of the version before knows nothing of them, and its own are as they were.

-- CreateTable
CREATE TABLE "endpoint" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "events" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "verified_at" TIMESTAMPTZ(3),
    "failure" TEXT,
    "failure_detail" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "endpoint_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "endpoint_callback" (
    "callback_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'verified',
    "stop_reason" TEXT,
    "challenge" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "claim_token" TEXT,
    "claimed_until" TIMESTAMPTZ(3),
    "verified_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "manual_at" TIMESTAMPTZ(3),
    "waiting_since" TIMESTAMPTZ(3),
    "waiting_for" TEXT,
    "newest_sequence" INTEGER NOT NULL,
    "settled_sequence" INTEGER NOT NULL,

    CONSTRAINT "endpoint_callback_pkey" PRIMARY KEY ("callback_id")
);

-- CreateTable
CREATE TABLE "endpoint_push" (
    "callback_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "endpoint_push_pkey" PRIMARY KEY ("callback_id","sequence")
);

-- CreateTable
CREATE TABLE "endpoint_attempt" (
    "id" TEXT NOT NULL,
    "callback_id" TEXT NOT NULL,
    "sequence" INTEGER,
    "attempt" INTEGER NOT NULL,
    "trigger" TEXT NOT NULL DEFAULT 'auto',
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "class" TEXT NOT NULL,
    "http_status" INTEGER,
    "remote_address" TEXT,
    "detail" TEXT,
    "answer_excerpt" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "endpoint_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "endpoint_account_id_url_key" ON "endpoint"("account_id", "url");

-- CreateIndex
CREATE UNIQUE INDEX "endpoint_callback_task_id_endpoint_id_key" ON "endpoint_callback"("task_id", "endpoint_id");

-- CreateIndex
CREATE INDEX "endpoint_callback_endpoint_id_task_id_idx" ON "endpoint_callback"("endpoint_id", "task_id");

-- CreateIndex
CREATE INDEX "endpoint_attempt_callback_id_started_at_idx" ON "endpoint_attempt"("callback_id", "started_at");

-- AddForeignKey
ALTER TABLE "endpoint" ADD CONSTRAINT "endpoint_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What follows Prisma's language cannot say: the rules that hold whatever the code does.
ALTER TABLE "endpoint"
  ALTER COLUMN "events" SET NOT NULL,
  ADD CONSTRAINT "endpoint_url" CHECK (length("url") BETWEEN 1 AND 2048),
  ADD CONSTRAINT "endpoint_events" CHECK ("events" <@ ARRAY['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled']);
ALTER TABLE "endpoint_callback"
  ADD CONSTRAINT "endpoint_callback_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task"("id") ON DELETE CASCADE,
  ADD CONSTRAINT "endpoint_callback_state" CHECK ("state" IN ('verified', 'stopped')),
  ADD CONSTRAINT "endpoint_callback_stopped" CHECK (("state" = 'stopped') = ("stop_reason" IS NOT NULL) AND ("state" <> 'stopped' OR "due_at" IS NULL)),
  ADD CONSTRAINT "endpoint_callback_budget" CHECK ("failures" BETWEEN 0 AND 6);
ALTER TABLE "endpoint_push"
  ADD CONSTRAINT "endpoint_push_callback_id_fkey" FOREIGN KEY ("callback_id") REFERENCES "endpoint_callback"("callback_id") ON DELETE CASCADE,
  ADD CONSTRAINT "endpoint_push_state" CHECK ("state" IN ('pending', 'delivered', 'superseded', 'stopped'));
ALTER TABLE "endpoint_attempt"
  ADD CONSTRAINT "endpoint_attempt_callback_id_fkey" FOREIGN KEY ("callback_id") REFERENCES "endpoint_callback"("callback_id") ON DELETE CASCADE;

-- As callback_due_idx, callback_waiting_idx and callback_manual_idx.
CREATE INDEX "endpoint_callback_due_idx" ON "endpoint_callback"("account_id", "due_at" NULLS FIRST) WHERE "settled_sequence" < "newest_sequence" AND "waiting_for" IS NULL;
CREATE INDEX "endpoint_callback_waiting_idx" ON "endpoint_callback"("waiting_for", "waiting_since") WHERE "waiting_for" IS NOT NULL;
CREATE INDEX "endpoint_callback_manual_idx" ON "endpoint_callback"("callback_id") WHERE "manual_at" IS NOT NULL;

-- The functions below run as the owner: nobody may put a temporary table of the same name before theirs.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Whoever writes an event owes it to the endpoints of the account, in the same statement: services of the version before as well.
-- An account without endpoints costs two looks into an index.
CREATE FUNCTION owe_endpoints() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM "task" t JOIN "endpoint" e ON e.account_id = t.account_id WHERE t.id = NEW.task_id AND e.enabled AND e.verified_at IS NOT NULL) THEN
    RETURN NULL;
  END IF;
  WITH taker AS (
    SELECT e.id, e.account_id FROM "task" t JOIN "endpoint" e ON e.account_id = t.account_id
    WHERE t.id = NEW.task_id AND e.enabled AND e.verified_at IS NOT NULL AND (e.events = '{}' OR NEW.status = ANY (e.events)) AND e.url IS DISTINCT FROM t.callback_url
    ORDER BY e.id),
  owed AS (
    INSERT INTO "endpoint_callback" AS c (callback_id, task_id, endpoint_id, account_id, newest_sequence, settled_sequence)
    SELECT NEW.task_id || '.' || id, NEW.task_id, id, account_id, NEW.sequence, NEW.sequence - 1 FROM taker
    -- What was stopped while its endpoint was disabled goes on.
    ON CONFLICT (callback_id) DO UPDATE SET newest_sequence = greatest(c.newest_sequence, NEW.sequence),
      state = CASE WHEN c.stop_reason = 'disabled' THEN 'verified' ELSE c.state END, stop_reason = nullif(c.stop_reason, 'disabled')
    RETURNING callback_id)
  INSERT INTO "endpoint_push" (callback_id, sequence, status) SELECT callback_id, NEW.sequence, NEW.status FROM owed;
  RETURN NULL;
END $$;
CREATE TRIGGER "task_event_owed" AFTER INSERT ON "task_event" FOR EACH ROW EXECUTE FUNCTION owe_endpoints();

-- As before, and what a task's endpoints got goes with it: none of its pushes is owed, asked for or under way.
CREATE OR REPLACE FUNCTION archive_tasks(finished_before timestamptz, most integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  chosen text[];
  quiet text[];
  month timestamp;
BEGIN
  IF finished_before > now() - interval '7 days' THEN
    RAISE EXCEPTION 'a task is archived when it has been over for a week' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7404273) THEN RETURN 0; END IF;
  SELECT array_agg(due.id) INTO chosen FROM (
    SELECT t.id FROM "task" t
    WHERE t.step = 'done' AND t.deleted_at IS NULL AND (t.status <> 'succeeded' OR t.media_purged_at IS NOT NULL) AND t.completed_at < finished_before
      AND NOT EXISTS (SELECT 1 FROM "media" m WHERE m.task_id = t.id AND m.removed_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM "callback_push" p WHERE p.task_id = t.id AND p.state = 'pending')
      AND NOT EXISTS (SELECT 1 FROM "endpoint_callback" c WHERE c.task_id = t.id AND c.settled_sequence < c.newest_sequence)
      AND EXISTS (
        SELECT 1 FROM "hold" h CROSS JOIN LATERAL (
          SELECT coalesce(sum(e.quota) FILTER (WHERE e.kind = 'hold'), 0) AS held, coalesce(sum(e.quota) FILTER (WHERE e.kind = 'charge'), 0) AS charged,
            coalesce(sum(e.quota) FILTER (WHERE e.kind = 'release'), 0) AS released, bool_and(e.account_id = t.account_id) AS is_own
          FROM "ledger_entry" e WHERE e.task_id = t.id) e
        WHERE h.task_id = t.id AND h.state = 'closed' AND h.account_id = t.account_id AND h.quota = t.max_quota AND h.charged_quota = t.billed_quota
          AND e.is_own AND e.held = h.quota AND e.charged = h.charged_quota AND e.charged + e.released = h.quota)
    ORDER BY t.completed_at LIMIT most FOR UPDATE OF t SKIP LOCKED) due;
  -- Every delivery starts and ends at the callback's row: while it is locked, none is asked for.
  chosen := ARRAY(
    SELECT id FROM unnest(chosen) id WHERE NOT EXISTS (SELECT 1 FROM "callback" c WHERE c.task_id = id)
    UNION ALL
    SELECT * FROM (SELECT c.task_id FROM "callback" c WHERE c.task_id = ANY (chosen) AND c.settled_sequence >= c.newest_sequence AND c.manual_at IS NULL
      AND (c.claimed_until IS NULL OR c.claimed_until < now()) ORDER BY c.task_id FOR UPDATE SKIP LOCKED) settled);
  quiet := ARRAY(
    SELECT c.callback_id FROM "endpoint_callback" c WHERE c.task_id = ANY (chosen) AND c.settled_sequence >= c.newest_sequence AND c.manual_at IS NULL
      AND (c.claimed_until IS NULL OR c.claimed_until < now()) ORDER BY c.callback_id FOR UPDATE SKIP LOCKED);
  chosen := ARRAY(
    SELECT id FROM unnest(chosen) id WHERE NOT EXISTS (SELECT 1 FROM "endpoint_callback" c WHERE c.task_id = id AND c.callback_id <> ALL (quiet)));
  FOR month IN SELECT DISTINCT date_trunc('month', t.completed_at AT TIME ZONE 'UTC') FROM "task" t WHERE t.id = ANY (chosen) LOOP
    PERFORM make_partition('archived_task', month AT TIME ZONE 'UTC');
  END LOOP;
  INSERT INTO "archived_task" (task_id, account_id, key_id, model, status, created_at, completed_at, billed_seconds, billed_quota, held_quota, charged_quota, task, details)
  SELECT t.id, t.account_id, t.key_id, t.model, t.status, t.created_at, t.completed_at, t.billed_seconds, t.billed_quota, h.quota, h.charged_quota, to_jsonb(t),
    jsonb_build_object('hold', jsonb_build_array(to_jsonb(h)),
      'task_event', (SELECT coalesce(jsonb_agg(to_jsonb(e) ORDER BY e.sequence), '[]') FROM "task_event" e WHERE e.task_id = t.id),
      'task_try', (SELECT coalesce(jsonb_agg(to_jsonb(y) ORDER BY y.number), '[]') FROM "task_try" y WHERE y.task_id = t.id),
      'media', (SELECT coalesce(jsonb_agg(to_jsonb(m)), '[]') FROM "media" m WHERE m.task_id = t.id),
      'callback', (SELECT coalesce(jsonb_agg(to_jsonb(c) - 'challenge'), '[]') FROM "callback" c WHERE c.task_id = t.id),
      'callback_push', (SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.sequence), '[]') FROM "callback_push" p WHERE p.task_id = t.id),
      'callback_attempt', (SELECT coalesce(jsonb_agg(to_jsonb(a) ORDER BY a.id COLLATE "C"), '[]') FROM "callback_attempt" a WHERE a.task_id = t.id),
      'endpoint_callback', (SELECT coalesce(jsonb_agg(to_jsonb(c) ORDER BY c.callback_id), '[]') FROM "endpoint_callback" c WHERE c.task_id = t.id),
      'endpoint_push', (SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.callback_id, p.sequence), '[]') FROM "endpoint_callback" c JOIN "endpoint_push" p USING (callback_id) WHERE c.task_id = t.id),
      'endpoint_attempt', (SELECT coalesce(jsonb_agg(to_jsonb(a) ORDER BY a.id COLLATE "C"), '[]') FROM "endpoint_callback" c JOIN "endpoint_attempt" a USING (callback_id) WHERE c.task_id = t.id))
  FROM "task" t JOIN "hold" h ON h.task_id = t.id WHERE t.id = ANY (chosen);
  DELETE FROM "task" WHERE id = ANY (chosen);
  DELETE FROM "hold" WHERE task_id = ANY (chosen);
  RETURN cardinality(chosen);
END $$;
