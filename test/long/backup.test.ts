/** @workers 3: it promises no times. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { VideoResource } from '@gateway/contracts';
import { startSuite, type Suite } from '@gateway/local-stack';
import { newId } from '@gateway/runtime';
import {
  eventually,
  openReceiver,
  openTestDatabase,
  testRedis,
  type Receiver,
  type TestDatabase,
} from '@gateway/testing';
import pg from 'pg';
import { adminOf, customerOf, type Customer } from '../e2e/harness.ts';

const run = promisify(execFile);
const body = { model: 'sandbox-video', prompt: 'a paper boat', duration: 4, resolution: '480p' };
const priceOfOne = 240;
const quota = 100_000;

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A pg_dump, when it is no older than the server: an older one refuses. */
async function fittingPgDump(serverUrl: string): Promise<string | undefined> {
  const installed = '/usr/lib/postgresql';
  const places = existsSync(installed)
    ? readdirSync(installed).map((version) => path.join(installed, version, 'bin/pg_dump'))
    : [];
  const [row] = await ask<{ server_version_num: string }>(serverUrl, 'SHOW server_version_num');
  const server = Math.floor(Number(row!.server_version_num) / 10_000);
  for (const program of ['pg_dump', ...places]) {
    const version = await run(program, ['--version']).then(
      ({ stdout }) => Number(/(\d+)/.exec(stdout)?.[1]),
      () => 0,
    );
    if (version >= server) return program;
  }
  return undefined;
}

const serverUrl = process.env['TEST_DATABASE_URL']!;
const pgDump = await fittingPgDump(serverUrl);
/** The embedded PostgreSQL brings no pg_dump: its server copies the files of the database then. */
const way =
  pgDump === undefined
    ? 'a copy of its files, since no pg_dump here is as new as the server'
    : 'pg_dump and pg_restore';

/** A new database with what the other one holds. */
async function restored(from: string, folder: string): Promise<string> {
  const to = new URL(from);
  to.pathname = `${to.pathname}_restored`;
  const file = path.join(folder, 'gateway.dump');
  if (pgDump === undefined) {
    await ask(
      serverUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(from)}'`,
    );
    await ask(serverUrl, `CREATE DATABASE ${nameOf(to.href)} TEMPLATE ${nameOf(from)}`);
    return to.href;
  }
  await ask(serverUrl, `CREATE DATABASE ${nameOf(to.href)}`);
  await run(pgDump, ['--format=custom', '--file', file, from]);
  await run(path.join(path.dirname(pgDump), 'pg_restore'), [
    '--exit-on-error',
    '--no-owner',
    '--dbname',
    to.href,
    file,
  ]);
  return to.href;
}

let original: TestDatabase;
let receiver: Receiver;
let dataDir: string;
const suites: Suite[] = [];
beforeAll(async () => {
  [original, receiver, dataDir] = await Promise.all([
    openTestDatabase(),
    openReceiver(),
    mkdtemp(path.join(os.tmpdir(), 'gateway-backup-')),
  ]);
});
afterAll(async () => {
  for (const suite of suites) await suite.stop();
  await receiver.close();
  await ask(serverUrl, `DROP DATABASE IF EXISTS ${nameOf(original.url)}_restored WITH (FORCE)`);
  await original.close();
  await rm(dataDir, { recursive: true, force: true });
});

/**
 * Of this database, with this test's folder of media and secrets, the first suite's vendor, and an
 * empty Redis.
 */
async function suiteOf(databaseUrl: string): Promise<Suite> {
  const { url: redisUrl, prefix } = testRedis();
  const [first] = suites;
  const own = {
    QUEUE_PREFIX: prefix,
    ...(first !== undefined && { SANDBOX_URL: first.sandboxUrl }),
  };
  const suite = await startSuite({
    dataDir,
    databaseUrl,
    redisUrl,
    env: {
      'sandbox-vendor': {
        SANDBOX_QUEUE_MS: '100',
        SANDBOX_RENDER_MS: '4000',
        SANDBOX_RENDER_QUALITY: 'fast',
        SANDBOX_DATA_DIR: path.join(dataDir, prefix),
      },
      api: own,
      billing: { ...own, SWEEP_MS: '1000' },
      'video-worker': {
        ...own,
        SWEEP_MS: '1000',
        STORAGE_SWEEP_MS: '1000',
        STORAGE_SWEEP_AFTER_SECONDS: '60',
      },
      'callback-dispatcher': { ...own, CALLBACK_SWEEP_MS: '1000' },
    },
  });
  suites.push(suite);
  return suite;
}

/** Files that were stored two hours ago: of a task that the backup knows, and of one it does not. */
async function leaveFiles(taskId: string): Promise<{ crashed: string; afterBackup: string }> {
  const files = { crashed: `${taskId}-1.mp4`, afterBackup: `${newId('task')}-4-0123456789ab.mp4` };
  const then = new Date(Date.now() - 7_200_000);
  for (const name of Object.values(files)) {
    const file = path.join(dataDir, 'media/videos', name);
    await writeFile(file, 'a video');
    await utimes(file, then, then);
  }
  return files;
}

const idsOf = (tasks: readonly { id: string }[]): string[] => tasks.map(({ id }) => id);
const several = (customer: Customer, count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, () => customer.create({ ...body, callback_url: receiver.url })),
  ).then(idsOf);

async function vendorTasks(suite: Suite): Promise<unknown[]> {
  return ((await (await fetch(`${suite.sandboxUrl}/control/tasks`)).json()) as { tasks: unknown[] })
    .tasks;
}

async function openTasksOf(databaseUrl: string): Promise<string[]> {
  return idsOf(
    await ask<{ id: string }>(
      databaseUrl,
      `SELECT id FROM task WHERE status IN ('queued', 'running')`,
    ),
  );
}

describe(`a database that is restored from a backup, by ${way}`, () => {
  it('has its books right, and all that was open is finished with an empty Redis: rendered, billed and pushed', async () => {
    const before = await suiteOf(original.url);
    const customer = await adminOf(original.url).aCustomer(before.baseUrl, quota);
    const finished = await several(customer, 2);
    for (const id of finished) await customer.until(id, 'succeeded');
    const rendering = await several(customer, 3);
    await eventually(
      async () => {
        expect((await vendorTasks(before)).length).toBe(5);
      },
      { withinMs: 20_000 },
    );
    await before.stopService('video-worker');
    const waiting = await several(customer, 2);
    for (const service of ['api', 'billing', 'callback-dispatcher']) {
      await before.stopService(service);
    }

    const databaseUrl = await restored(original.url, dataDir);

    const { admin } = adminOf(databaseUrl, { STORAGE_DIR: path.join(dataDir, 'media') });
    expect(await admin('billing', 'verify', '--json')).toMatchObject({ code: 0 });
    expect(await admin('storage', 'verify', '--json')).toMatchObject({ code: 0 });
    const { owner, installation } = JSON.parse(
      (await admin('storage', 'adopt', '--json')).output,
    ) as { owner: string; installation: string };
    expect(owner).toBe(installation);
    const left = await leaveFiles(finished[0] ?? '');
    expect(await openTasksOf(databaseUrl)).toEqual(expect.arrayContaining(waiting));
    const after = await suiteOf(databaseUrl);
    const restoredCustomer = customerOf(after.baseUrl, customer);
    const all = [...finished, ...rendering, ...waiting];
    const ended: VideoResource[] = [];
    // one by one, or asking would be refused as too often
    for (const id of all) ended.push(await restoredCustomer.until(id, 'succeeded'));

    expect(ended.map(({ portal_billing: { billed_quota: billed } }) => billed)).toEqual(
      all.map(() => priceOfOne),
    );
    expect(await vendorTasks(before)).toHaveLength(all.length);
    expect((await fetch(ended[0]!.content!.video_url)).status).toBe(200);
    await eventually(async () => {
      expect(await readdir(path.join(dataDir, 'media/videos'))).not.toContain(left.crashed);
    });
    expect(await readdir(path.join(dataDir, 'media/videos'))).toContain(left.afterBackup);
    await eventually(
      () => {
        const succeeded = receiver
          .pushes()
          .filter(({ body: { status } }) => status === 'succeeded')
          .map(({ body: { id } }) => id);
        expect([...new Set(succeeded)].sort()).toEqual([...all].sort());
      },
      { withinMs: 30_000 },
    );
    await eventually(
      async () => {
        expect(await admin('billing', 'verify', '--grace', '0', '--json')).toMatchObject({
          code: 0,
        });
      },
      { withinMs: 30_000 },
    );
    const balance = JSON.parse(
      (await admin('account', 'balance', '--account', customer.accountId, '--json')).output,
    ) as unknown;
    expect(balance).toMatchObject({
      balance_quota: quota - all.length * priceOfOne,
      held_quota: 0,
    });
  });
});

describe('an empty database in place of the restored one', () => {
  it('starts no service that would store or delete files, and says what to do', async () => {
    const empty = await openTestDatabase();
    try {
      await empty.database.pool.query('UPDATE installation SET id = gen_random_uuid()::text');
      const before = await readdir(path.join(dataDir, 'media/videos'));

      await expect(suiteOf(empty.url)).rejects.toThrow(
        /the media storage belongs to another installation/,
      );

      expect(await readdir(path.join(dataDir, 'media/videos'))).toEqual(before);
    } finally {
      await empty.close();
    }
  });
});
