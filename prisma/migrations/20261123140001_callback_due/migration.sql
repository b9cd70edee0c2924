-- The dispatcher finds what is due by the callback alone, account by account: it has the newest event that was to be
-- pushed, up to which all are settled, and, while only the limits of its receiver hold it back, that receiver.
ALTER TABLE "callback"
  ADD COLUMN "account_id" TEXT NOT NULL DEFAULT '',
  ADD COLUMN "newest_sequence" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "settled_sequence" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "waiting_for" TEXT;
-- Each callback is inserted with its first push. Rows from before keep 0: nothing is known to be pending.
ALTER TABLE "callback" ALTER COLUMN "newest_sequence" SET DEFAULT 1;

-- Whoever writes an event need not write the callback. The row's lock puts this before or after a dispatcher's write,
-- which only settles the pushes that it has seen.
CREATE FUNCTION note_newest_push() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE callback c SET newest_sequence = greatest(c.newest_sequence, NEW.sequence), account_id = t.account_id
    FROM task t WHERE t.id = NEW.task_id AND c.task_id = NEW.task_id;
  RETURN NULL;
END $$;
CREATE TRIGGER callback_push_newest AFTER INSERT ON "callback_push"
  FOR EACH ROW WHEN (NEW."sequence" > 1) EXECUTE FUNCTION note_newest_push();

-- For an api of the version before, which does not say whose callback it is.
CREATE FUNCTION note_callback_account() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE callback c SET account_id = t.account_id FROM task t WHERE t.id = NEW.task_id AND c.task_id = NEW.task_id;
  RETURN NULL;
END $$;
CREATE TRIGGER callback_account AFTER INSERT ON "callback"
  FOR EACH ROW WHEN (NEW."account_id" = '') EXECUTE FUNCTION note_callback_account();
