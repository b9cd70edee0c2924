-- What the api remembers of keys and accounts is corrected as soon as it changes, whoever changes it.

CREATE FUNCTION tell_access_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_notify('gateway_access', to_jsonb(OLD) ->> TG_ARGV[0]);
  RETURN NULL;
END $$;

-- Not each use of a key, which is noted in its row too.
CREATE TRIGGER "api_key_tells_change" AFTER UPDATE OF "account_id", "hash", "scopes", "models", "requests_per_minute", "expires_at", "revoked_at"
  ON "api_key" FOR EACH ROW EXECUTE FUNCTION tell_access_change('account_id');
CREATE TRIGGER "api_key_tells_removal" AFTER DELETE ON "api_key" FOR EACH ROW EXECUTE FUNCTION tell_access_change('account_id');
CREATE TRIGGER "account_tells_change" AFTER UPDATE OF "suspended_at", "active_videos_limit" ON "account" FOR EACH ROW EXECUTE FUNCTION tell_access_change('id');

-- Also for what is written in a session that replays or restores.
ALTER TABLE "api_key" ENABLE ALWAYS TRIGGER "api_key_tells_change";
ALTER TABLE "api_key" ENABLE ALWAYS TRIGGER "api_key_tells_removal";
ALTER TABLE "account" ENABLE ALWAYS TRIGGER "account_tells_change";
