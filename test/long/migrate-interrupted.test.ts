/** @workers 3: it promises no times. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import pg from 'pg';
import { migrate, openStage, query } from './migrate-stage.ts';

const stage = openStage();
const { aCopy, tables: tablesOf } = stage;
let url: string;
beforeEach(() => {
  url = stage.url();
});

/** A migrator that is watched while it runs. */
function start(project: string, ...args: string[]) {
  const child = execFile(
    process.execPath,
    [path.join(project, 'prisma/dist/migrate.js'), ...args],
    { env: { ...process.env, DATABASE_URL: url } },
  );
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  return {
    said: () => said,
    /** Its exit code. */
    ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
  };
}

describe('a migration that is interrupted', () => {
  it('finishes what a migrator left that was killed, whatever its script had done', async () => {
    const copy = await aCopy();
    await migrate(url, copy);
    const began = async (migration: string, script: string, logs: string): Promise<void> => {
      await copy.add(migration, script);
      await query(
        url,
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, started_at, applied_steps_count)
         VALUES (gen_random_uuid(), encode(sha256('${script}'), 'hex'), '${migration}', ${logs}, now(), 0)`,
      );
    };
    await began('29990101000000_undone', 'CREATE TABLE undone (id int PRIMARY KEY);', 'NULL');
    const script = 'CREATE TABLE committed (id int PRIMARY KEY);';
    await query(url, script);
    await began('29990101000001_committed', script, `'the script is committed'`);

    const ended = await migrate(url, copy);

    expect(ended.stdout).toMatch(
      /^29990101000000_undone: rolled back\n29990101000001_committed: applied\n/,
    );
    expect(await tablesOf()).toEqual(expect.arrayContaining(['undone', 'committed']));
  });

  it('commits with a script that it was, so that a kill after it is no riddle', async () => {
    const copy = await aCopy();
    await copy.add(
      '29990101000000_looks',
      'CREATE TABLE looks AS SELECT logs FROM _prisma_migrations WHERE false; CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO looks VALUES (NEW.logs); RETURN NEW; END $$; CREATE TRIGGER noted BEFORE UPDATE ON _prisma_migrations FOR EACH ROW EXECUTE FUNCTION noted();',
    );
    await migrate(url, copy);
    expect((await query<{ logs: string }>(url, 'SELECT logs FROM looks LIMIT 1'))[0]?.logs).toBe(
      'the script is committed',
    );
  });

  it('drops an index that was left half-built', async () => {
    const copy = await aCopy();
    await migrate(url, copy);
    await query(url, 'CREATE TABLE twice AS SELECT 1 AS n FROM generate_series(1, 2)');
    await copy.add(
      '29990101000000_once',
      'CREATE UNIQUE INDEX CONCURRENTLY "twice_once" ON "twice"("n");',
    );
    await expect(migrate(url, copy)).resolves.toMatchObject({ code: 1 });
    expect(await tablesOf()).toContain('twice_once');

    await query(url, 'DELETE FROM twice WHERE ctid = (SELECT min(ctid) FROM twice)');
    await migrate(url, { ...copy, args: ['--resolve'] });
    expect(await tablesOf()).not.toContain('twice_once');
    await expect(migrate(url, copy)).resolves.toMatchObject({ code: 0 });
  });

  it('makes nobody wait behind it for a table that is locked, and tries again', async () => {
    const copy = await aCopy();
    await migrate(url, copy);
    await copy.add('29990101000000_wide', 'ALTER TABLE account ADD COLUMN wide int;');
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    await reader.query('BEGIN; LOCK TABLE account IN ACCESS SHARE MODE');
    const { ended, said } = start(copy.project);
    await eventually(
      () => {
        expect(said()).toContain('A table is locked by others; trying again.');
      },
      { withinMs: 30_000 },
    );
    await reader.end();

    expect(await ended).toBe(0);
    expect(said()).toContain('applied 29990101000000_wide');
  });

  it('lets whoever starts before the schema is there wait for it', async () => {
    const copy = await aCopy();
    const waiting = start(copy.project, '--check', '--wait');
    await eventually(
      () => {
        expect(waiting.said()).toMatch(/^waiting: \d+ pending\n/);
      },
      { withinMs: 30_000 },
    );
    await migrate(url);

    expect(await waiting.ended).toBe(0);
    expect(waiting.said()).toMatch(/Nothing is pending\.\n$/);
  });
});
