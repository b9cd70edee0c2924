import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, createHolds, createLedger, type Database } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aHoldOf } from './books.ts';
import { findPgBouncer, startPgBouncer, type Pooler } from './pgbouncer.ts';

const program = await findPgBouncer();
// Skipped, and named so, where neither this machine nor its distribution has one.
const withPgBouncer = program === undefined ? describe.skip : describe;

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

const opened: Database[] = [];
const poolSize = 4;
const bounded = { statementTimeoutMs: 8_000, lockTimeoutMs: 1_234 };
/** Where nobody asks how long anything takes: on a busy machine all of it takes long. */
const patient = { silentMs: 120_000, lockTimeoutMs: 120_000 };
const open = (
  url: string,
  bounds: Pick<
    Parameters<typeof createDatabase>[0],
    'statementTimeoutMs' | 'lockTimeoutMs' | 'silentMs'
  > = bounded,
): Database => {
  const database = createDatabase({
    url,
    applicationName: 'behind a pooler',
    poolSize,
    onError: () => undefined,
    ...bounds,
  });
  opened.push(database);
  return database;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ part }) => part.stop()));
});

const boundsOf = async ({ pool }: Database) =>
  (
    await pool.query(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('lock_timeout') AS lock`,
    )
  ).rows[0] as unknown;

it('bounds every session before its first statement, without a pooler too', async () => {
  expect(await boundsOf(open(test.url, { ...bounded, statementTimeoutMs: 4_321 }))).toEqual({
    statement: '4321ms',
    idle: '20s',
    lock: '1234ms',
  });
});

/** Money by many callers at once on two databases, whose sessions the pooler mixes. */
async function tradeThrough(url: string): Promise<void> {
  const databases = [open(url, patient), open(url, patient)];
  const account = await anAccount(test.database, { quota: 1_000 });
  // No more at once than there are connections: a caller waits five seconds for one, and not longer.
  const callers = databases.flatMap((database) =>
    Array.from({ length: poolSize }, () => createHolds(database)),
  );
  await Promise.all(
    callers.map(async (holds) => {
      for (let call = 0; call < 5; call += 1) {
        await holds.take(account.id, [aHoldOf(account.id, 5)]);
      }
    }),
  );
  await Promise.all(
    databases.map(async ({ prisma }) => (await prisma()).account.findMany({ take: 3 })),
  );
  expect(await createLedger(databases[0]!).balanceOf(account.id)).toMatchObject({
    heldQuota: 200,
  });
}

withPgBouncer('behind PgBouncer', () => {
  let pooler: Pooler;
  afterEach(() => pooler.stop());

  it('keeps its bounds in session pooling, and trades', async () => {
    pooler = await startPgBouncer(program!, test.url, 'session');
    expect(await boundsOf(open(pooler.url))).toMatchObject({ statement: '8s', lock: '1234ms' });
    await tradeThrough(pooler.url);
  });

  it('trades in transaction pooling, names no statement and leaves no setting behind', async () => {
    pooler = await startPgBouncer(program!, test.url, 'transaction');
    await tradeThrough(`${pooler.url}?pgbouncer=true`);
    const { rows } = await open(`${pooler.url}?pgbouncer=true`).pool.query(
      `SELECT current_setting('statement_timeout') AS statement, (SELECT count(*)::int FROM pg_prepared_statements) AS named`,
    );
    expect(rows).toEqual([{ statement: '0', named: 0 }]);
  });

  it('is refused by migrate in transaction pooling, which takes DIRECT_DATABASE_URL', async () => {
    pooler = await startPgBouncer(program!, test.url, 'transaction');
    const migrate = (env: NodeJS.ProcessEnv) =>
      promisify(execFile)(
        process.execPath,
        [path.resolve(import.meta.dirname, '../../../prisma/dist/migrate.js')],
        { env: { ...process.env, DATABASE_URL: pooler.url, ...env } },
      );
    await expect(migrate({})).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('set DIRECT_DATABASE_URL'),
    });
    await expect(migrate({ DIRECT_DATABASE_URL: test.url })).resolves.toMatchObject({
      stdout: expect.stringContaining('The schema is up to date.'),
    });
  });
});
