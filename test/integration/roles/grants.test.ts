import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, testRolePasswords, type TestDatabase } from '@gateway/testing';
import { passwordSettingOf, serviceRoles, tableGrants } from '../../../prisma/roles.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

interface Row {
  readonly table: string;
  readonly role: string;
  readonly privilege: string;
}

/** What the database says, as `table role INSERT` or `table role UPDATE (column)`; reading left out. */
async function writesGranted(): Promise<string[]> {
  const { rows } = await test.database.pool.query<Row>(
    `SELECT table_name AS table, grantee AS role, privilege_type AS privilege
     FROM information_schema.role_table_grants
     WHERE table_schema = 'public' AND grantee LIKE 'gateway\\_%' AND privilege_type <> 'SELECT'
     UNION ALL
     SELECT c.table_name, c.grantee, c.privilege_type || ' (' || c.column_name || ')'
     FROM information_schema.role_column_grants c
     WHERE c.table_schema = 'public' AND c.grantee LIKE 'gateway\\_%' AND c.privilege_type = 'UPDATE'
       AND NOT EXISTS (SELECT 1 FROM information_schema.role_table_grants t
         WHERE t.table_schema = 'public' AND t.table_name = c.table_name AND t.grantee = c.grantee AND t.privilege_type = 'UPDATE')`,
  );
  return rows.map(({ table, role, privilege }) => `${table} ${role} ${privilege}`).sort();
}

/** The table of ARCHITECTURE.md: a row for each table, a column for each service. */
function writesDocumented(): string[] {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../../ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = text.split('## Tables and their writers\n');
  const table = section.split('\n\n').find((part) => part.startsWith('| table |')) ?? '';
  const [head = [], , ...rows] = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows
    .flatMap(([name = '', ...cells]) =>
      cells.slice(0, 5).flatMap((cell, column) =>
        cell
          .split(', ')
          .filter((verb) => verb !== '')
          .map((verb) => {
            const role = `gateway_${(head[column + 1] ?? '').replaceAll('-', '_')}`;
            const [, lock] = /^(?:lock|update) \(`(\w+)`\)$/.exec(verb) ?? [];
            const privilege = lock === undefined ? verb.toUpperCase() : `UPDATE (${lock})`;
            return `${name.replaceAll('`', '')} ${role} ${privilege}`;
          }),
      ),
    )
    .sort();
}

describe('the grants of the service roles', () => {
  it('are those of ARCHITECTURE.md', async () => {
    const granted = await writesGranted();

    expect(granted.length).toBeGreaterThan(50);
    expect(writesDocumented()).toEqual(granted);
  });

  it('have a line for every table, and no line for a table that is not there', async () => {
    const { rows } = await test.database.pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND (NOT relispartition OR relname LIKE '%\\_default')`,
    );

    expect(Object.keys(tableGrants).sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  it('go to roles that may do nothing else', async () => {
    const { rows } = await test.database.pool.query<Record<string, unknown>>(
      `SELECT rolname, rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS is_mighty,
         (SELECT count(*) FROM pg_auth_members m WHERE m.member = r.oid)::int AS memberships,
         has_schema_privilege(rolname, 'public', 'CREATE') AS may_create
       FROM pg_roles r WHERE rolname = ANY ($1) ORDER BY 1`,
      [serviceRoles],
    );

    expect(rows).toEqual(
      [...serviceRoles]
        .sort()
        .map((rolname) => ({ rolname, is_mighty: false, memberships: 0, may_create: false })),
    );
  });

  it('are tested under the roles that the migrator knows', () => {
    expect(Object.keys(testRolePasswords).sort()).toEqual(
      serviceRoles.map(passwordSettingOf).sort(),
    );
  });
});

describe('a function that runs as the owner of the tables', () => {
  it('looks for a name among temporary tables last, where a caller could put its own', async () => {
    const { rows } = await test.database.pool.query<{ name: string; path: string | null }>(
      `SELECT p.oid::regprocedure::text AS name, array_to_string(p.proconfig, ';') AS path
       FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef`,
    );

    expect(rows.length).toBeGreaterThan(8);
    expect(
      rows.filter(({ path: of }) => of?.includes('search_path=public, pg_temp') !== true),
    ).toEqual([]);
  });
});
