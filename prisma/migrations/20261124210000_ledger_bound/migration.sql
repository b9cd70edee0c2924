-- The ledger is to lie in partitions by month. Entries are numbered, and from the next month on each month has numbers of its own; those
-- that are there are all below the first of them. This says so without reading them.
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_bound" CHECK ("id" < 1000000000000) NOT VALID;
