-- What a customer asked for goes when the task ends, where it is not to be kept: in the statement that ends it, whoever's.
CREATE FUNCTION erase_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."request" := NEW."request" || '{"prompt": "", "references": [], "isErased": true}';
  RETURN NEW;
END $$;
CREATE TRIGGER "task_erases_request" BEFORE UPDATE OF "status" ON "task" FOR EACH ROW
  WHEN (NEW."completed_at" IS NOT NULL AND OLD."completed_at" IS NULL AND NEW."request" ? 'isPrivate')
  EXECUTE FUNCTION erase_request();
