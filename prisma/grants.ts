import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type pg from 'pg';
import {
  functionGrants,
  passwordSettingOf,
  serviceRoles,
  tableGrants,
  type ServiceRole,
  type Writes,
} from './roles.ts';

/** One privilege of one role, as SQL says it: `UPDATE (task_deleted_at) ON TABLE "hold"`. */
interface Grant {
  readonly role: ServiceRole;
  readonly privilege: string;
  readonly object: string;
}

export interface GrantsDifference {
  readonly missing: readonly Grant[];
  /** What a service role has and this version does not list. */
  readonly surplus: readonly Grant[];
  /** Roles that this server does not have: they get nothing. */
  readonly absentRoles: readonly ServiceRole[];
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const keyOf = ({ role, privilege, object }: Grant): string => `${role} ${privilege} ON ${object}`;

/**
 * How the grants of this database differ from `tableGrants`. Reads catalogues that every role may
 * read. Tables that are not there, or have no line, are left alone.
 */
export async function compareGrants(client: pg.ClientBase): Promise<GrantsDifference> {
  const { rows: roles } = await client.query<{ name: ServiceRole }>(
    'SELECT rolname AS name FROM pg_roles WHERE rolname = ANY ($1)',
    [serviceRoles],
  );
  const present = new Set(roles.map(({ name }) => name));
  const [found, wanted] = [await readGrants(client), await grantsWanted(client)];
  const wantedHere = wanted.filter(({ role }) => present.has(role));
  const foundKeys = new Set(found.map(keyOf));
  const wantedKeys = new Set(wantedHere.map(keyOf));
  return {
    missing: wantedHere.filter((grant) => !foundKeys.has(keyOf(grant))),
    surplus: found.filter((grant) => !wantedKeys.has(keyOf(grant))),
    absentRoles: serviceRoles.filter((role) => !present.has(role)),
  };
}

/** Grants what is missing and takes back what is not listed, as one transaction. */
export async function applyGrants(
  client: pg.ClientBase,
  { missing, surplus }: Pick<GrantsDifference, 'missing' | 'surplus'>,
): Promise<void> {
  const statements = [
    ...missing.map((grant) => `GRANT ${keyed(grant)} TO ${grant.role}`),
    ...surplus.map((grant) => `REVOKE ${keyed(grant)} FROM ${grant.role}`),
  ];
  if (statements.length > 0) await client.query(statements.join(';\n'));
}

const keyed = ({ privilege, object }: Grant): string => `${privilege} ON ${object}`;

/** Tables, sequences and functions of the schema with what each service role has on them. */
async function readGrants(client: pg.ClientBase): Promise<Grant[]> {
  const { rows } = await client.query<Grant>(
    `SELECT role, privilege, object FROM (
       SELECT a.grantee::regrole::text AS role, a.privilege_type AS privilege,
         CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || quote_ident(c.relname) AS object, c.relname
       FROM pg_class c, aclexplode(c.relacl) a
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'S')
       UNION ALL
       SELECT a.grantee::regrole::text, a.privilege_type, 'FUNCTION ' || p.oid::regprocedure, p.proname
       FROM pg_proc p, aclexplode(p.proacl) a WHERE p.pronamespace = current_schema()::regnamespace
       UNION ALL
       SELECT a.grantee::regrole::text, a.privilege_type || ' (' || quote_ident(t.attname) || ')', 'TABLE ' || quote_ident(c.relname), c.relname
       FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT t.attisdropped
     ) found WHERE role = ANY ($1)`,
    [serviceRoles],
  );
  return rows;
}

/** `tableGrants` for the tables that are there, with the sequences behind what may be inserted. */
async function grantsWanted(client: pg.ClientBase): Promise<Grant[]> {
  const { rows: tables } = await client.query<{ name: string; sequences: string[] }>(
    `SELECT c.relname AS name, array(
       SELECT quote_ident(s.relname) FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
       WHERE d.refobjid = c.oid AND d.deptype = 'a') AS sequences
     FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')`,
  );
  return [...(await callsWanted(client)), ...tablesWanted(tables)];
}

/** `functionGrants` for the functions that are there. */
async function callsWanted(client: pg.ClientBase): Promise<Grant[]> {
  const { rows } = await client.query<{ name: string; signature: string }>(
    `SELECT proname AS name, oid::regprocedure::text AS signature FROM pg_proc
     WHERE pronamespace = current_schema()::regnamespace AND proname = ANY ($1)`,
    [Object.keys(functionGrants)],
  );
  return rows.flatMap(({ name, signature }) =>
    (functionGrants[name] ?? []).map((role) => ({
      role,
      privilege: 'EXECUTE',
      object: `FUNCTION ${signature}`,
    })),
  );
}

function tablesWanted(tables: readonly { name: string; sequences: string[] }[]): Grant[] {
  return tables.flatMap(({ name, sequences }) => {
    const line = Object.hasOwn(tableGrants, name) ? tableGrants[name] : undefined;
    if (line === undefined) return [];
    const object = `TABLE ${/^[a-z_][a-z0-9_]*$/.test(name) ? name : quoted(name)}`;
    return serviceRoles.flatMap((role) => {
      const writes = line.writers[role] ?? {};
      return [
        ...((line.readers ?? serviceRoles).includes(role) ? ['SELECT'] : []),
        ...privilegesOf(writes),
      ]
        .map((privilege): Grant => ({ role, privilege, object }))
        .concat(
          writes.insert === true
            ? sequences.map((sequence) => ({
                role,
                privilege: 'USAGE',
                object: `SEQUENCE ${sequence}`,
              }))
            : [],
        );
    });
  });
}

function privilegesOf({ insert, update, delete: remove }: Writes): string[] {
  const updates =
    update === true ? ['UPDATE'] : (update ?? []).map((column) => `UPDATE (${column})`);
  return [
    ...(insert === true ? ['INSERT'] : []),
    ...updates,
    ...(remove === true ? ['DELETE'] : []),
  ];
}

/**
 * Makes the roles that are missing, as far as this user may, and lets those log in whose password is
 * set. Roles belong to the whole server: another database may make them at the same moment.
 */
export async function ensureRoles(
  client: pg.ClientBase,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { rows } = await client.query<{ mayCreate: boolean }>(
    'SELECT rolcreaterole OR rolsuper AS "mayCreate" FROM pg_roles WHERE rolname = current_user',
  );
  if (rows[0]?.mayCreate !== true) return;
  for (const role of serviceRoles) {
    await client.query(createRole(role));
    const password = environment[passwordSettingOf(role)];
    if (password === undefined || password === '') continue;
    await client.query(letLogIn(role, verifierOf(password)));
  }
}

/** Whoever comes second finds the role there. */
const createRole = (role: string): string => `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} NOLOGIN; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$`;

/** "Tuple concurrently updated" has no code of its own: another database has just done the same. */
const letLogIn = (role: string, verifier: string): string => `
  DO $$ BEGIN
    FOR attempt IN 1..20 LOOP
      BEGIN
        ALTER ROLE ${role} LOGIN PASSWORD '${verifier}';
        RETURN;
      EXCEPTION WHEN internal_error THEN PERFORM pg_sleep(0.05);
      END;
    END LOOP;
    RAISE EXCEPTION 'the password of ${role} could not be set: others keep changing it';
  END $$`;

const iterations = 4_096;

/** The password as the server stores it (RFC 5802), so that it is in no statement and no log. */
function verifierOf(password: string): string {
  if (!/^[\x21-\x7e]+$/.test(password)) {
    throw new Error('the password of a role must consist of printable ASCII without spaces');
  }
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const sign = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(sign('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${sign('Server Key').toString('base64')}`;
}

/** For an operator whose migrator may create no roles: to be run once, by one who may. */
export const rolesSql = `-- The roles of the services. Roles belong to the whole server; run this once, as a user who may create them,
-- then migrate again: the migrator grants each role what its service writes.
${serviceRoles.map((role) => createRole(role).trim().replaceAll('\n  ', '\n')).join(';\n')};

-- Let each of them log in, or make a user of your own a member (GRANT gateway_api TO …):
${serviceRoles.map((role) => `-- ALTER ROLE ${role} LOGIN PASSWORD '…';`).join('\n')}
`;
