/** @workers 3: it promises no times. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  startPostgres,
  type LocalPostgres,
  type StartPostgresOptions,
} from '../../packages/local-stack/src/postgres.ts';
import { privateFolderOf } from '../../packages/local-stack/src/postgres-home.ts';
import { startOf } from '../../packages/local-stack/src/processes.ts';
import { becomesTrue } from '../unit/local-stack/stand-in.ts';

let dataDir: string;
const said: string[] = [];
const started: LocalPostgres[] = [];

async function start(options: Partial<StartPostgresOptions> = {}): Promise<LocalPostgres> {
  const postgres = await startPostgres({
    dataDir,
    log: (line) => {
      said.push(line);
    },
    ...options,
  });
  started.push(postgres);
  return postgres;
}

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'gateway-postgres-'));
  // As root PostgreSQL runs as another user, who has to be able to enter.
  await chmod(dataDir, 0o755);
  said.length = 0;
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((postgres) => postgres.stop()));
  await rm(dataDir, { recursive: true, force: true });
});

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function postmasterPid(): Promise<number> {
  return Number(
    (await readFile(path.join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).split(
      '\n',
    )[0],
  );
}

describe('the embedded PostgreSQL', () => {
  it('is a real server on loopback, and keeps its data over a restart', async () => {
    const first = await start();
    await query(first.url, "CREATE TABLE kept AS SELECT 'yes' AS value");
    const [settings] = await query(
      first.url,
      "SELECT current_setting('listen_addresses') AS addresses, current_setting('max_connections') AS connections, current_setting('fsync') AS fsync, current_database() AS name",
    );
    await first.stop();

    const second = await start();

    expect(settings).toEqual({
      addresses: '127.0.0.1',
      connections: '200',
      fsync: 'on',
      name: 'gateway',
    });
    expect(await query(second.url, 'SELECT value FROM kept')).toEqual([{ value: 'yes' }]);
    await second.stop();
    await expect(query(second.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('refuses a wrong password', async () => {
    const postgres = await start({ durable: false });

    await expect(
      query(postgres.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1'),
    ).rejects.toMatchObject({ code: '28P01' });
  });

  it('saves the work of syncing to disk for tests, and deletes their data at stop', async () => {
    const postgres = await start({ durable: false, database: 'postgres' });

    expect(
      await query(
        postgres.url,
        "SELECT current_setting('fsync') AS fsync, current_database() AS name",
      ),
    ).toEqual([{ fsync: 'off', name: 'postgres' }]);
    await postgres.stop();
    await expect(
      readFile(path.join(dataDir, 'postgres', 'cluster', 'PG_VERSION')),
    ).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('deletes data that is not to be kept, wherever it is', async () => {
    await chmod(dataDir, 0o700);
    const postgres = await start({ keepData: false });

    await postgres.stop();

    expect([
      existsSync(path.join(dataDir, 'postgres')),
      existsSync(privateFolderOf(dataDir)),
    ]).toEqual([false, false]);
  });

  it('comes back on its port when the server crashes, without losing what was committed', async () => {
    const postgres = await start();
    await query(postgres.url, "CREATE TABLE kept AS SELECT 'yes' AS value");

    process.kill(await postmasterPid(), 'SIGKILL');

    const isBack = (): Promise<boolean> =>
      query(postgres.url, 'SELECT value FROM kept').then(
        ([row]) => row?.['value'] === 'yes',
        () => false,
      );
    expect(await becomesTrue(() => said.some((line) => line.startsWith('PostgreSQL ended')))).toBe(
      true,
    );
    expect(await becomesTrue(isBack)).toBe(true);
  });

  it('stops a server that a killed run left behind, and takes over its data', async () => {
    const first = await start();
    await query(first.url, "CREATE TABLE kept AS SELECT 'yes' AS value");
    const left = await postmasterPid();

    const second = await start();

    expect(said).toContainEqual(
      `stopping the PostgreSQL that an earlier run left behind (process ${left})`,
    );
    expect(startOf(left)).toBeUndefined();
    expect(await query(second.url, 'SELECT value FROM kept')).toEqual([{ value: 'yes' }]);
  });

  it('is not kept from starting by a pid file whose number belongs to another program', async () => {
    const first = await start();
    const pidFile = path.join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
    const content = await readFile(pidFile, 'utf8');
    await first.stop();
    // PostgreSQL mistakes only a process of its own user for a server.
    const { uid, gid } = await stat(path.dirname(pidFile));
    const other = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' });
    await writeFile(pidFile, content.replace(/^\d+/, String(other.pid)));

    const second = await start();

    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(other.exitCode).toBeNull();
    other.kill();
  });

  (process.getuid?.() === 0 ? it : it.skip)(
    'as root, puts what its user cannot reach into a private folder, says so, and finds it again',
    async () => {
      await chmod(dataDir, 0o700);
      const first = await start();
      await query(first.url, "CREATE TABLE kept AS SELECT 'yes' AS value");
      await first.stop();
      expect(said).toContainEqual(
        expect.stringMatching(
          /^PostgreSQL runs as user \w+, who cannot enter the data folder: the database is in \/var\/tmp\/generation-gateway-/,
        ),
      );
      expect(existsSync(path.join(dataDir, 'postgres', 'cluster'))).toBe(false);

      const second = await start();

      expect(await query(second.url, 'SELECT value FROM kept')).toEqual([{ value: 'yes' }]);
      await second.stop();
      await rm(privateFolderOf(dataDir), { recursive: true });
    },
    60_000,
  );

  it('refuses data of another version with a remedy', async () => {
    const first = await start();
    await first.stop();
    await writeFile(path.join(dataDir, 'postgres', 'cluster', 'PG_VERSION'), '9\n');

    await expect(start()).rejects.toMatchObject({
      code: 'server_not_startable',
      message: expect.stringContaining(
        'was created by PostgreSQL 9 and this is 18: delete that folder',
      ),
    });
  });
});
