-- Usage is to lie in a partition for each month. The rows that are there become the first one, up to the month after next; this
-- says so without reading them.
DO $$
BEGIN
  EXECUTE format('ALTER TABLE "usage_record" ADD CONSTRAINT "usage_record_bound" CHECK ("id" < %L) NOT VALID',
    first_id('usage', (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC'));
END $$;
