import { createHmac } from 'node:crypto';
import pg from 'pg';

/** Addresses of one database: as the migrator, which owns everything in it, and as each service. */
export interface RoleAddresses {
  readonly migratorUrl: string;
  /** What the migrator needs to let the services' roles log in. */
  readonly passwords: Readonly<Record<string, string>>;
  urlOf(service: string): string;
}

const migrator = 'gateway_migrator';
const withRoles = ['api', 'billing', 'video-worker', 'callback-dispatcher', 'admin'];

const roleOf = (service: string): string => `gateway_${service.replaceAll('-', '_')}`;

/**
 * Makes the migrator of a database of our own, and gives it the database with all that is in it: an
 * earlier version had one superuser for everything. `superuserUrl` names the database; `secret`
 * yields the passwords.
 */
export async function openRoles(superuserUrl: string, secret: string): Promise<RoleAddresses> {
  const passwordOf = (role: string): string =>
    createHmac('sha256', secret).update(role).digest('hex');
  const as = (role: string): string => {
    const url = new URL(superuserUrl);
    url.username = role;
    url.password = passwordOf(role);
    return url.href;
  };
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query(makeMigrator(passwordOf(migrator)));
    const database = client.escapeIdentifier(new URL(superuserUrl).pathname.slice(1));
    await client.query(`ALTER DATABASE ${database} OWNER TO ${migrator}`);
    await client.query(handOver);
  } finally {
    await client.end();
  }
  return {
    migratorUrl: as(migrator),
    passwords: Object.fromEntries(
      withRoles
        .map(roleOf)
        .map((role) => [`${role.toUpperCase()}_PASSWORD`, passwordOf(role)] as const),
    ),
    // The sandbox vendor has no database; an address that lets nobody in does no harm.
    urlOf: (service) => as(roleOf(service)),
  };
}

const makeMigrator = (password: string): string => `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${migrator}') THEN CREATE ROLE ${migrator}; END IF;
  END $$;
  ALTER ROLE ${migrator} LOGIN CREATEROLE PASSWORD '${password}'`;

/** Sequences follow their tables, row types too. */
const handOver = `
  ALTER SCHEMA public OWNER TO ${migrator};
  DO $$ DECLARE each record; BEGIN
    FOR each IN SELECT oid::regclass AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND relowner <> '${migrator}'::regrole
    LOOP EXECUTE format('ALTER TABLE %s OWNER TO ${migrator}', each.name); END LOOP;
    FOR each IN SELECT oid::regprocedure AS name FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND proowner <> '${migrator}'::regrole
    LOOP EXECUTE format('ALTER ROUTINE %s OWNER TO ${migrator}', each.name); END LOOP;
    FOR each IN SELECT oid::regtype AS name FROM pg_type
      WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd') AND typowner <> '${migrator}'::regrole
    LOOP EXECUTE format('ALTER TYPE %s OWNER TO ${migrator}', each.name); END LOOP;
  END $$`;
