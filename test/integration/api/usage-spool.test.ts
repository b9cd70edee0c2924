import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { UsageRecord } from '@gateway/contracts';
import { createMetrics, newId } from '@gateway/runtime';
import { createLedger, createMetering, createUsageOutbox, type Database } from '@gateway/store';
import {
  anAccount,
  eventually,
  openTestDatabase,
  recordingLog,
  type TestDatabase,
} from '@gateway/testing';
import { openSpoolFolder } from '../../../services/api/src/adapters/spool-folder.ts';
import { createTextMetering } from '../../../services/api/src/adapters/text-metering.ts';
import { violations } from '../store/books.ts';
import { aUsageRecord, units } from '../store/usage.ts';

let test: TestDatabase;
let database: Database;
let folder: string;
let accountId: string;
const log = recordingLog();
beforeAll(async () => {
  test = await openTestDatabase();
  ({ database } = test);
});
afterAll(() => test.close());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'spool-'));
  accountId = (await anAccount(database, { quota: 100 })).id;
});
afterEach(() => rm(folder, { recursive: true }));

/** The metering of one replica, started; `away`: its database refuses everything. */
async function aReplica({ away = false } = {}) {
  const outbox = createUsageOutbox(database);
  const refuse = () => Promise.reject(new Error('connect ECONNREFUSED'));
  const woken: string[] = [];
  const metering = createTextMetering({
    outbox: away ? { ...outbox, save: refuse } : outbox,
    wake: (_job, id) => {
      woken.push(id);
      return Promise.resolve();
    },
    spoolFiles: openSpoolFolder(folder),
    replicaId: newId('usage'),
    metrics: createMetrics('test'),
    log,
    stopWithinMs: 50,
  });
  for (const part of metering.parts) await part.start?.();
  const stop = async () => {
    for (const part of [...metering.parts].reverse()) await part.stop();
  };
  return { ...metering, stop, woken };
}

/** What a replica left behind that had to stop without its database. */
async function spooled(records: readonly UsageRecord[]): Promise<string[]> {
  const replica = await aReplica({ away: true });
  for (const record of records) replica.record(record);
  await replica.stop();
  return readdir(folder);
}

const someUsage = (): UsageRecord[] =>
  [3, 4].map((quota) => aUsageRecord(accountId, { cost_nano: units(quota) }));

const take = async (batchIds: readonly string[]): Promise<void> => {
  for (const id of batchIds) await createMetering(database).apply(id);
};

async function isReplayed(): Promise<string[]> {
  const replica = await aReplica();
  await eventually(async () => {
    expect(await readdir(folder)).toEqual([]);
  });
  await replica.stop();
  return replica.woken;
}

it('charges what was used before a stop without a database, once', async () => {
  const files = await spooled(someUsage());
  expect(files).toEqual([expect.stringMatching(/^batch_[0-9a-z]{26}\.json$/)]);
  expect(await createLedger(database).balanceOf(accountId)).toMatchObject({ balanceQuota: 100 });

  const woken = await isReplayed();

  expect(woken.map((id) => `${id}.json`)).toEqual(files);
  await take(woken);
  expect(await createLedger(database).balanceOf(accountId)).toMatchObject({ balanceQuota: 93 });
  expect(await violations(database)).toEqual([]);
});

it('charges it once also when a replica is killed before it has removed the file', async () => {
  const [file = ''] = await spooled(someUsage());
  const [whole, copy] = [path.join(folder, file), path.join(folder, 'copy')];
  for (const afterwards of ['waiting', 'charged']) {
    await copyFile(whole, copy);
    const replica = await aReplica();
    await eventually(async () => {
      expect(await readdir(folder)).toEqual(['copy']);
    });
    await replica.stop();
    if (afterwards === 'waiting') await copyFile(copy, whole);
    else await take(replica.woken);
  }
  await copyFile(copy, whole);
  await rm(copy);

  await take(await isReplayed());

  expect(await createLedger(database).balanceOf(accountId)).toMatchObject({ balanceQuota: 93 });
  expect(await violations(database)).toEqual([]);
});

it('closes what was open in the statement that saves it, and waits for a database that is away', async () => {
  const records = someUsage();
  const replica = newId('usage');
  await createUsageOutbox(database).keepOpen({ replica, records });
  const files = await spooled(records);
  // Another one that cannot save it either.
  const next = await aReplica({ away: true });
  await eventually(() => {
    expect(log.lines.map(({ message }) => message)).toContain('periodic work failed');
  });
  await next.stop();
  expect(await readdir(folder)).toEqual(files);

  await isReplayed();

  const { rows } = await database.pool.query('SELECT FROM usage_open WHERE replica = $1', [
    replica,
  ]);
  expect(rows).toEqual([]);
});

it('leaves alone what no gateway wrote, and says so once', async () => {
  const batch = newId('usageBatch');
  const foreign = {
    [`${batch}.json`]: '{"id":"batch_',
    [`${newId('usageBatch')}.json`]: JSON.stringify({ id: batch, records: [{ id: 'x' }] }),
    [`${batch}.json.7.tmp`]: '{',
    'notes.json': '{}',
  };
  for (const [name, text] of Object.entries(foreign)) {
    await writeFile(path.join(folder, name), text);
  }

  const replica = await aReplica();
  await eventually(() => {
    expect(
      log.lines.filter(({ message }) => message === 'spooled text usage cannot be read'),
    ).toHaveLength(2);
  });
  await replica.stop();

  expect((await readdir(folder)).sort()).toEqual(Object.keys(foreign).sort());
  expect(replica.woken).toEqual([]);
});

it('says at the start that the folder cannot be used', async () => {
  await writeFile(path.join(folder, 'file'), '');
  const parts = createTextMetering({
    outbox: createUsageOutbox(database),
    wake: () => Promise.resolve(),
    spoolFiles: openSpoolFolder(path.join(folder, 'file')),
    replicaId: 'r',
    metrics: createMetrics('test'),
    log,
  }).parts;

  await expect(parts[0]?.start?.()).rejects.toThrow(
    /^USAGE_SPOOL_DIR .* cannot be written \(EEXIST\)/,
  );
});
