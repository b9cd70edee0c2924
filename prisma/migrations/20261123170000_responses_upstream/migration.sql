-- A third dialect of upstreams. Rows from before are not read: that would stop all writers, and they fit.
ALTER TABLE "usage_record"
  DROP CONSTRAINT "usage_record_dialect",
  ADD CONSTRAINT "usage_record_dialect" CHECK (
    "dialect" IN ('messages', 'chat', 'responses') AND "upstream_dialect" IN ('messages', 'chat', 'responses')) NOT VALID;
