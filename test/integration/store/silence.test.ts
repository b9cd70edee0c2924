import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDatabase, createHolds, type Database } from '@gateway/store';
import {
  anAccount,
  openTestDatabase,
  openWire,
  type TestDatabase,
  type Wire,
} from '@gateway/testing';
import { aHoldRequest } from './books.ts';

const silentMs = 600;
/** What a slow machine may add. */
const slackMs = 700;

let test: TestDatabase;
let wire: Wire;
let database: Database;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());
beforeEach(async () => {
  wire = await openWire(test.url, 5432);
  database = createDatabase({
    url: wire.url,
    applicationName: 'silence',
    poolSize: 6,
    silentMs,
    onError: () => undefined,
  });
});
afterEach(async () => {
  wire.cut();
  await database.part.stop();
  await wire.close();
});

async function timed<Value>(work: () => Promise<Value>): Promise<{ ms: number; value: Value }> {
  const startedMs = performance.now();
  const value = await work();
  return { value, ms: performance.now() - startedMs };
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Connections at rest, as many as the pool has. */
const fillPool = (): Promise<unknown> =>
  Promise.all(Array.from({ length: 6 }, () => database.pool.query('SELECT pg_sleep(0.05)')));

describe('a PostgreSQL that falls silent', () => {
  it.each([['server'], ['client']] as const)(
    'is noticed in time when nothing reaches the %s, and what waits says that it does not know',
    async (side) => {
      await fillPool();
      wire.fallSilent(side);

      const { ms, value } = await timed(() => failureOf(database.pool.query('SELECT 1')));

      expect(value).toMatchObject({ code: 'ETIMEDOUT', name: 'SilentServerError' });
      expect(ms).toBeGreaterThan(silentMs * 0.9);
      expect(ms).toBeLessThan(silentMs + slackMs);
    },
  );

  it('costs what comes after it nothing more: connections at rest are thrown away with the first', async () => {
    await fillPool();
    expect(database.pool.idleCount).toBe(6);
    // What the others said last was said later than by the one that is asked next.
    await Promise.all(Array.from({ length: 5 }, () => database.pool.query('SELECT pg_sleep(0.1)')));
    wire.fallSilent();
    await failureOf(database.pool.query('SELECT 1'));
    wire.replace();

    const { ms } = await timed(async () => {
      for (let time = 0; time < 12; time += 1) await database.pool.query('SELECT 1');
    });

    expect(ms).toBeLessThan(silentMs);
  });

  it('ends a transaction once, and not again for its rollback', async () => {
    const account = await anAccount(test.database, { quota: 1_000 });
    const request = aHoldRequest(account.id);
    const holds = createHolds(database);
    await holds.take(account.id, [request]);
    wire.fallSilent();

    const { ms, value } = await timed(() => failureOf(holds.release(request.task_id)));

    expect(value).toMatchObject({ code: 'ETIMEDOUT' });
    expect(ms).toBeLessThan(silentMs + slackMs);
  });

  it('is noticed by Prisma, too', async () => {
    const prisma = await database.prisma();
    await prisma.account.count();
    wire.fallSilent();

    const { ms, value } = await timed(() => failureOf(prisma.account.count()));

    expect(value).toMatchObject({ code: 'ETIMEDOUT' });
    expect(ms).toBeLessThan(silentMs + slackMs);
  });

  it('does not keep a stopping process', async () => {
    await fillPool();
    const stopping = createDatabase({
      url: wire.url,
      applicationName: 'stopping',
      poolSize: 2,
      silentMs,
      onError: () => undefined,
    });
    await stopping.pool.query('SELECT 1');
    wire.fallSilent();

    const { ms } = await timed(() => stopping.part.stop());

    expect(ms).toBeLessThan(1_000 + slackMs);
  });

  it('fails a check within two seconds, whatever statements are allowed', async () => {
    await database.check();
    wire.fallSilent();

    const { ms, value } = await timed(() => failureOf(database.check()));

    expect(value).toMatchObject({ code: 'ETIMEDOUT' });
    expect(ms).toBeLessThan(2_000);
  });
});

describe('a PostgreSQL that is only slow', () => {
  it('speaks first: it cancels the statement, and says so', async () => {
    await database.pool.query('SELECT 1');

    const { ms, value } = await timed(() => failureOf(database.pool.query('SELECT pg_sleep(9)')));

    expect(value).toMatchObject({ code: '57014' });
    expect(ms).toBeLessThan(silentMs);
  });

  it('is not silent while it is busy with one statement after another', async () => {
    const untilMs = performance.now() + 2 * silentMs;
    const workers = Array.from({ length: 12 }, async () => {
      while (performance.now() < untilMs) await database.pool.query('SELECT pg_sleep(0.01)');
    });

    await expect(Promise.all(workers)).resolves.toHaveLength(12);
    expect(database.pool.totalCount).toBe(6);
  });
});
