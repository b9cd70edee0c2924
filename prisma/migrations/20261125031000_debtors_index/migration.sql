-- Who owes is asked once a second by each replica that serves text; few accounts do, of the many that a replica may have leases of.
CREATE INDEX CONCURRENTLY "balance_debtors_idx" ON "balance"("account_id") WHERE "debt_quota" > 0;
