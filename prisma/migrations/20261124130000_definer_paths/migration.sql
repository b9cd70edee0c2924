-- Functions that run as the owner of the tables look for a name among temporary tables last. Unless a path says so PostgreSQL looks
-- there first, and whoever may call the function could put a table of its own in the place of one of ours.
DO $$
DECLARE
  of_owner regprocedure;
BEGIN
  FOR of_owner IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosecdef LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', of_owner, current_schema());
  END LOOP;
END $$;
