/** @workers 3: it promises no times. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { migrate, openStage, query, root, server } from './migrate-stage.ts';

const stage = openStage();
const { aCopy, history, tables: tablesOf } = stage;
let url: string;
beforeEach(() => {
  url = stage.url();
});

describe('migrating', () => {
  it('brings an empty database to the whole schema, and names what was applied', async () => {
    const ended = await migrate(url);

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const applied = (await history()).map((row) => row.migration_name);
    expect(ended.stdout.replace(/^[1-9]\d* granted/m, 'N granted')).toBe(
      [
        ...applied.map((each) => `applied ${each}`),
        'N granted, 0 revoked.',
        `${applied.length} applied.`,
        '',
      ].join('\n'),
    );
    expect(applied.length).toBeGreaterThan(0);
    expect(await tablesOf()).toEqual(
      expect.arrayContaining([
        'account',
        'balance',
        'hold',
        'ledger_entry',
        'task',
        'task_event',
        'callback_push',
        'media',
      ]),
    );
    // Functions hold semicolons, which a naive runner would cut at.
    await expect(
      query(
        url,
        `SELECT DISTINCT tgname FROM pg_trigger WHERE tgname IN ('ledger_entry_append_only', 'task_terminal_is_final')`,
      ),
    ).resolves.toHaveLength(2);
  });

  it('changes nothing the second time, and says so', async () => {
    await migrate(url);
    const before = await history();

    await expect(migrate(url)).resolves.toEqual({
      code: 0,
      stdout: 'The schema is up to date.\n',
      stderr: '',
    });

    await expect(history()).resolves.toEqual(before);
  });

  it('tells who waits for the schema, by its exit code, whether something is pending', async () => {
    const before = await migrate(url, { args: ['--check'] });
    const tables = await tablesOf();
    await migrate(url);

    expect(before).toMatchObject({ code: 3, stderr: '' });
    expect(before.stdout).toMatch(/^\d+ pending\. Nothing was changed\.\n$/);
    expect(tables).toEqual([]);
    await expect(migrate(url, { args: ['--check'] })).resolves.toEqual({
      code: 0,
      stdout: 'Nothing is pending.\n',
      stderr: '',
    });
  });

  it('is satisfied with a schema that a later release has brought further', async () => {
    const later = await aCopy();
    await later.add('29990101000000_later', 'CREATE TABLE later (id int PRIMARY KEY);');
    await migrate(url, later);

    await expect(migrate(url, { args: ['--check'] })).resolves.toEqual({
      code: 0,
      stdout: 'Nothing is pending.\n',
      stderr: '',
    });
  });

  it('is safe to start several times at once', async () => {
    const ended = await Promise.all([migrate(url), migrate(url), migrate(url)]);

    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      Array.from({ length: 3 }, () => ({ code: 0, stderr: '' })),
    );
    expect(ended.filter(({ stdout }) => stdout.includes('applied ')).length).toBe(1);
    expect((await history()).every((row) => row.finished)).toBe(true);
  });

  it('applies a migration that was added later, and only it', async () => {
    const copy = await aCopy();
    await migrate(url, copy);
    await copy.add('29990101000000_later', 'CREATE TABLE later (id int PRIMARY KEY);');

    await expect(migrate(url, copy)).resolves.toEqual({
      code: 0,
      stdout: 'applied 29990101000000_later\n1 applied.\n',
      stderr: '',
    });

    await expect(tablesOf()).resolves.toContain('later');
  });

  it('refuses a migration that was edited after it was applied, and changes nothing', async () => {
    const copy = await aCopy();
    await migrate(url, copy);
    const [first] = await history();
    await copy.edit();
    await copy.add('29990101000000_later', 'CREATE TABLE later (id int PRIMARY KEY);');

    await expect(migrate(url, copy)).resolves.toEqual({
      code: 1,
      stdout: '',
      stderr: `The database cannot be migrated: these migrations were changed after they were applied: ${first?.migration_name ?? ''}\n`,
    });

    await expect(tablesOf()).resolves.not.toContain('later');
    await expect(migrate(url, { ...copy, args: ['--plan'] })).resolves.toMatchObject({ code: 1 });
  });

  it('refuses a database that knows migrations the folder does not', async () => {
    const copy = await aCopy();
    await copy.add('29990101000000_later', 'CREATE TABLE later (id int PRIMARY KEY);');
    await migrate(url, copy);
    const other = await aCopy();
    await other.add('29990101000001_elsewhere', 'CREATE TABLE elsewhere (id int PRIMARY KEY);');

    const ended = await migrate(url, other);

    expect(ended).toMatchObject({
      code: 1,
      stderr:
        'The database cannot be migrated: the database knows migrations that are not in the folder: 29990101000000_later\n',
    });
    await expect(tablesOf()).resolves.not.toContain('elsewhere');
  });

  it('applies a migration whole or not at all, and asks for a person before it goes on', async () => {
    const copy = await aCopy();
    await copy.add(
      '29990101000000_broken',
      'CREATE TABLE half (id int PRIMARY KEY);\nINSERT INTO no_such_table VALUES (1);',
    );

    const first = await migrate(url, copy);
    const second = await migrate(url, copy);

    expect(first).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no_such_table') as unknown,
    });
    await expect(tablesOf()).resolves.not.toContain('half');
    await expect(tablesOf()).resolves.toContain('task');
    expect(second).toMatchObject({
      code: 1,
      stderr:
        'The database cannot be migrated: these migrations failed half-way: 29990101000000_broken; mend what they say (docs/upgrading.md#a-migration-that-failed), then npm run migrate -- --resolve, and migrate again\n',
    });
    // The version that runs goes on starting.
    await expect(migrate(url, { args: ['--check', '--wait'] })).resolves.toMatchObject({ code: 0 });

    await copy.write('29990101000000_broken', 'CREATE TABLE half (id int PRIMARY KEY);');
    await expect(migrate(url, { ...copy, args: ['--resolve'] })).resolves.toEqual({
      code: 0,
      stdout: '29990101000000_broken: rolled back\n1 resolved. Migrate again.\n',
      stderr: '',
    });
    await expect(migrate(url, copy)).resolves.toMatchObject({
      code: 0,
      stdout: expect.stringContaining('applied 29990101000000_broken\n') as unknown,
    });
    await expect(migrate(url, { args: ['--resolve'] })).resolves.toMatchObject({
      stdout: 'No migration failed half-way.\n',
    });
  });
});

describe('migrating with --plan', () => {
  it('shows all of it to a reader that is slow, as a pager is', async () => {
    const program = path.join(root, 'prisma/dist/migrate.js');
    const slowly = 'setTimeout(() => process.stdin.pipe(process.stdout), 3_000)';

    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', `"$0" "${program}" --plan | "$0" -e '${slowly}'`, process.execPath],
      { env: { ...process.env, DATABASE_URL: url } },
    );

    expect(stdout).toMatch(/-- \d+ pending\. Nothing was changed\.\n$/);
  });

  it('shows what is pending with its SQL, and changes nothing', async () => {
    const ended = await migrate(url, { args: ['--plan'] });

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('CREATE TABLE "account"');
    expect(ended.stdout).toMatch(/^-- \d{14}_/);
    expect(ended.stdout).toMatch(/-- \d+ pending\. Nothing was changed\.\n$/);
    await expect(tablesOf()).resolves.toEqual([]);
  });

  it('shows only what is pending', async () => {
    const copy = await aCopy();
    await migrate(url, copy);
    await copy.add('29990101000000_later', 'CREATE TABLE later (id int PRIMARY KEY);');

    const ended = await migrate(url, { ...copy, args: ['--plan'] });

    expect(ended).toEqual({
      code: 0,
      stdout:
        '-- 29990101000000_later\nCREATE TABLE later (id int PRIMARY KEY);\n-- 1 pending. Nothing was changed.\n',
      stderr: '',
    });
    await expect(tablesOf()).resolves.not.toContain('later');
  });

  it('says when nothing is pending', async () => {
    await migrate(url);

    await expect(migrate(url, { args: ['--plan'] })).resolves.toEqual({
      code: 0,
      stdout: 'Nothing is pending.\n',
      stderr: '',
    });
  });
});

describe('migrating with --draft', () => {
  it('prints the SQL that leads from a former schema to the present one', async () => {
    const copy = await aCopy();
    const former = path.join(copy.project, 'former.prisma');
    const present = await readFile(path.join(root, 'prisma/schema.prisma'), 'utf8');
    await writeFile(former, present.replace(/^model Exposure \{[^}]*\}/m, ''));

    const ended = await migrate(url, { args: ['--draft', former] });

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('CREATE TABLE "exposure"');
    expect(ended.stdout).not.toContain('CREATE TABLE "account"');
    await expect(tablesOf()).resolves.toEqual([]);
  });
});

describe('migrating wrongly', () => {
  const usage = expect.stringContaining('npm run migrate -- --plan') as unknown;

  it.each([
    ['an unknown option', ['--force']],
    ['a stray word', ['now']],
    ['an option without its value', ['--draft']],
  ])('is told how to, with exit code 2: %s', async (_what, args) => {
    await expect(migrate(url, { args })).resolves.toMatchObject({ code: 2, stderr: usage });

    await expect(tablesOf()).resolves.toEqual([]);
  });

  it('is told how to, with exit code 2: no DATABASE_URL', async () => {
    await expect(migrate(undefined)).resolves.toMatchObject({ code: 2, stdout: usage });
  });

  it.each(['-h', '--help'])('explains itself for %s, with exit code 0', async (flag) => {
    await expect(migrate(undefined, { args: [flag] })).resolves.toMatchObject({
      code: 0,
      stdout: usage,
      stderr: '',
    });
  });

  it.each([
    ['apply', []],
    ['plan', ['--plan']],
    ['check', ['--check']],
  ])(
    'says in one sentence that the database cannot be reached, with the setting to look at (%s)',
    async (_what, args) => {
      const ended = await migrate('postgres://postgres:secret@127.0.0.1:1/gateway', { args });

      expect(ended).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^The database cannot be migrated: [^\n]*127\.0\.0\.1:1; check DATABASE_URL, [^\n]*\n$/,
        ) as unknown,
      });
      expect(ended.stderr).not.toContain('secret');
    },
  );

  it.each([
    ['apply', []],
    ['plan', ['--plan']],
  ])(
    'says in one sentence that a name stands for a host on which nobody listens (%s)',
    async (_what, args) => {
      const ended = await migrate('postgres://postgres@localhost:1/gateway', { args });

      expect(ended).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^The database cannot be migrated: [^\n]*:1[^\n]*\n$/,
        ) as unknown,
      });
    },
  );

  it('says in one sentence that there is no such database', async () => {
    const missing = new URL(server);
    missing.pathname = '/no_such_database';

    await expect(migrate(missing.href)).resolves.toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The database cannot be migrated: database "no_such_database" does not exist; check DATABASE_URL, [^\n]*\n$/,
      ) as unknown,
    });
  });

  it('says that a former schema cannot be read', async () => {
    await expect(migrate(url, { args: ['--draft', '/no/such.prisma'] })).resolves.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('/no/such.prisma') as unknown,
    });
  });
});
