/** @workers 3: it promises no times. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '@gateway/runtime';
import * as store from '@gateway/store';
import { anAccount, archivedIdOf, loadHistory, openTestDatabase } from '@gateway/testing';
import { measure, type Costs } from './buffers.ts';
import { aLiveTask, calls } from './calls.ts';
import type { Scene } from './scene.ts';

const few = 1_000;
const many = Number(process.env['HISTORY_TASKS'] ?? 200_000);
/**
 * What is allowed to grow: an index of 200 times the rows is deeper by a page or two, and where a small
 * table was joined by reading it whole, a large one is asked once for each live row. Which of the two
 * the planner takes depends on the rows that ANALYZE happened to sample (seen: 65 pages and 154). What
 * reads the history itself reads 200 times as much, hundreds of pages at least.
 */
const allowed = (pages: number): number => pages * 3 + 60;

/** Asked for by an operator or at a start, and read whatever there is, or write a row by its key. */
const excused: Readonly<Record<string, string>> = {
  'createAccounts.create': 'writes a row',
  'createAccounts.createKey': 'writes a row',
  'createOwnKeys.create': 'reads the keys of one account, and writes a row',
  'createAccounts.revokeKey': 'writes a row',
  'createOperatorActions.changeAccount': 'writes a row',
  'createOperatorActions.changeKey': 'writes a row',
  'createOwnKeys.revoke': 'writes a row',
  'createAdministration.openAccount': 'made of other methods',
  'createAdministration.makeKey': 'made of other methods',
  'createAdministration.topUp': 'made of other methods',
  'createAdministration.adjust': 'made of other methods',
  'createAdministration.rotateSecret': 'made of other methods',
  'createAgentBudgets.hold': 'reads one budget',
  'createAgentBudgets.made': 'reads one row of a budget',
  'createAgentBudgets.release': 'removes one row of a budget',
  'createAgentBudgets.settle': 'reads what is unsettled of one budget',
  'createAgentBudgets.settleGone': 'reads what is unsettled of one budget, and one hold',
  'createAgentBudgets.open': 'reads what is unsettled of one budget',
  'createAssets.begin': 'reads assets only, which are no history of tasks',
  'createAssets.finish': 'reads assets only',
  'createAssets.giveUp': 'reads assets only',
  'createAssets.findOwn': 'reads assets only',
  'createAssets.findServed': 'reads assets only',
  'createAssets.markDeleted': 'reads assets only',
  'createAssets.page': 'reads assets only',
  'createCallbackSecrets.rotate': 'writes a row',
  'createCallbackSecrets.sealAll': 'an operator’s, reads the secrets',
  'createInstallation.id': 'reads one row',
  'createInstallation.sweepAllowance': 'reads one row',
  'createInstallation.allowSweep': 'writes one row',
  'createLedger.verify': 'an operator’s, reads everything in slices',
  'createLedger.countExposures': 'an operator’s, counts all exposures',
  'createLedgerReads.statement': 'an operator’s, reads a whole period',
  'createOperatorFeed.forget': 'reads nothing',
  'createRecordedAudit.run': 'an operator’s, reads everything in slices',
  'createSessions.open': 'reads the sessions of one key, fifty at most',
  'createSessions.findKey': 'reads one session and its key',
  'createSessions.findOperator': 'reads one session',
  'createSessions.find': 'reads one session',
  'createSessions.page': 'reads the sessions of one key, fifty at most',
  'createSessions.end': 'removes one row',
  'createSessions.purge': 'reads sessions only, by when they end',
  'createVendorTasks.compare': 'an operator’s, after an accident',
  'createVendorTasks.claimForgotten': 'an operator’s, after an accident',
};

/** By method: what it cost beside the short history, and beside the long one. */
const costs: Record<'short' | 'long', Map<string, Costs>> = { short: new Map(), long: new Map() };
beforeAll(async () => {
  costs.short = await measureBeside(few);
  costs.long = await measureBeside(many);
}, 1_200_000);

/** In a database of its own, so that there is as much live work beside each. */
async function measureBeside(tasks: number): Promise<Map<string, Costs>> {
  const test = await openTestDatabase();
  const database = store.createDatabase({
    url: test.url,
    applicationName: 'history',
    poolSize: 4,
    silentMs: 600_000,
    onError: () => undefined,
  });
  const explaining = new pg.Pool({ connectionString: test.url, max: 2 });
  // The database is dropped when a pool has said its farewell, which a connection may not have yet.
  explaining.on('error', () => undefined);
  explaining.on('connect', (client) => client.on('error', () => undefined));
  const measured = measure(database, {
    explaining,
    byIndex: tasks === few,
  });
  try {
    const scene = await openScene(database, { url: test.url, tasks });
    const found = new Map<string, Costs>();
    for (const [method, prepare] of Object.entries(calls)) {
      const work = await prepare(scene);
      found.set(method, await measured.costsOf(work));
    }
    return found;
  } finally {
    await measured.close();
    await database.part.stop();
    await test.close();
  }
}

async function openScene(
  database: store.Database,
  { url, tasks }: { readonly url: string; readonly tasks: number },
): Promise<Scene> {
  const { id: accountId } = await anAccount(database, { quota: 1_000_000 });
  const others: string[] = [];
  while (others.length < 25) others.push((await anAccount(database, { quota: 0 })).id);
  const keyId = newId('key');
  await store.createAccounts(database).createKey({
    id: keyId,
    accountId,
    name: 'k',
    hash: new Uint8Array(32),
    prefix: 'sk',
    scopes: [],
    models: [],
    expiresAt: null,
  });
  await loadHistory(url, { accountId, others, tasks, archived: true });
  const scene = {
    database,
    accountId,
    keyId,
    finishedId: videoOf(500),
    archivedId: archivedIdOf(500),
  };
  await aLiveTask(scene);
  // The audit's first round reads the past, once.
  await store
    .createRunningAudit(database)
    .round({ graceSeconds: 60, everyMs: 60_000, claim: newId('usage') });
  return scene;
}

const videoOf = (number: number): string => `video_00${String(number).padStart(24, '0')}`;

describe(`beside ${many} finished tasks`, () => {
  it.each(Object.keys(calls))('%s reads no more than beside a thousand', (method) => {
    const [short, long] = [costs.short.get(method)!, costs.long.get(method)!];
    const grown = [...long].flatMap(([text, pages]) => {
      const before = short.get(text) ?? 0;
      return pages > allowed(before) ? [{ text, before, pages }] : [];
    });

    expect(long.size).toBeGreaterThan(0);
    expect([...long.keys()]).toEqual([...short.keys()]);
    expect(grown).toEqual([]);
  });

  it('knows every method of the store, or why it need not', () => {
    const closed = store.createDatabase({
      url: 'postgres://nobody@127.0.0.1:9/none',
      applicationName: 'x',
      poolSize: 1,
      onError: () => undefined,
    });
    const factories = Object.entries(store).filter(
      ([name]) => name.startsWith('create') && name !== 'createDatabase',
    ) as unknown as [string, (database: store.Database) => object][];
    const methods = factories.flatMap(([name, create]) =>
      Object.keys(create(closed)).map((method) => `${name}.${method}`),
    );

    expect([...Object.keys(calls), ...Object.keys(excused)].sort()).toEqual(methods.sort());
  });
});
