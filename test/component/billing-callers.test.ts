import diagnostics from 'node:diagnostics_channel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Settings } from '@gateway/billing';
import { createLedger } from '@gateway/store';
import {
  anAccount,
  asService,
  eventually,
  openTestDatabase,
  openWire,
  type TestDatabase,
} from '@gateway/testing';
import { aHoldOf } from '../integration/store/books.ts';
import { lockBalance } from './billing-locks.ts';
import { serviceToken, startBilling, type RunningBilling } from './billing-service.ts';

let test: TestDatabase;
let billing: RunningBilling;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());
/** Requests that arrived at a server of this process in the present test. */
let arrived = 0;
const countArrival = (): void => {
  arrived += 1;
};
beforeEach(() => {
  arrived = 0;
  diagnostics.subscribe('http.server.request.start', countArrival);
});
afterEach(async () => {
  diagnostics.unsubscribe('http.server.request.start', countArrival);
  await billing.stop();
});

const quota = 500;
const callers = 30;

/** Callers who want all there is, and what they were told; undefined: they left. */
const askAll = (
  accountId: string,
  caller: { readonly headers?: Record<string, string>; readonly signal?: AbortSignal },
): Promise<(number | undefined)[]> =>
  Promise.all(
    Array.from({ length: callers }, () =>
      fetch(`${billing.url}/internal/holds`, {
        method: 'POST',
        body: JSON.stringify(aHoldOf(accountId, Math.floor(quota / callers))),
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${serviceToken}`,
          ...caller.headers,
        },
        ...(caller.signal !== undefined && { signal: caller.signal }),
      }).then(
        ({ status }) => status,
        () => undefined,
      ),
    ),
  );

const start = async (settings: Partial<Settings> = {}): Promise<string> => {
  billing = await startBilling(test, { DATABASE_LOCK_MS: 60_000, ...settings });
  return (await anAccount(test.database, { quota })).id;
};

/** The next caller gets all of it, once the hold that was being taken is given back. */
async function expectNothingHeld(accountId: string): Promise<void> {
  await eventually(async () => {
    const response = await billing.hold(aHoldOf(accountId, quota));
    expect(await response.json()).toMatchObject({ outcome: 'held' });
  });
  await expect(createLedger(test.database).verify({ graceSeconds: 60 })).resolves.toEqual([]);
}

describe('holds whose callers have gone while a row was locked', () => {
  it('are not taken for callers that waited as long as they said they would, and given back by the one that was being taken', async () => {
    const accountId = await start();
    const unlock = await lockBalance(test, accountId);

    const asking = askAll(accountId, { headers: { 'x-request-timeout-ms': '300' } });
    await eventually(() => {
      expect(billing.lines.filter(({ message }) => message === 'request')).toHaveLength(
        callers - 1,
      );
    });
    await unlock();

    expect(await asking).toEqual(Array.from({ length: callers }, () => 503));
    await expectNothingHeld(accountId);
    expect(billing.lines.map(({ message }) => message)).toContain(
      'hold given back, its caller has gone',
    );
  });

  it('are not taken for callers that closed their connection', async () => {
    const accountId = await start();
    const unlock = await lockBalance(test, accountId);

    const leaving = new AbortController();
    const asking = askAll(accountId, { signal: leaving.signal });
    await eventually(() => {
      expect(arrived).toBe(callers);
    });
    leaving.abort();
    await eventually(() => {
      expect(billing.lines.filter(({ message }) => message === 'request')).toHaveLength(callers);
    });
    await unlock();

    expect(await asking).toEqual(Array.from({ length: callers }));
    await expectNothingHeld(accountId);
  });

  it('are taken for callers that still wait', async () => {
    const accountId = await start();
    const unlock = await lockBalance(test, accountId);
    const asking = askAll(accountId, { headers: { 'x-request-timeout-ms': '20000' } });
    await eventually(async () => {
      const { rows } = await test.database.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      expect(rows).not.toEqual([]);
    });
    await unlock();

    expect(await asking).toEqual(Array.from({ length: callers }, () => 200));
  });

  it('end within the time for which a statement may wait for a lock', async () => {
    const accountId = await start({ DATABASE_LOCK_MS: 200 });
    const unlock = await lockBalance(test, accountId);

    const response = await billing.hold(aHoldOf(accountId, quota));
    await unlock();

    expect(response.status).toBe(503);
    await expectNothingHeld(accountId);
  });
});

describe('billing whose database falls silent', () => {
  it('refuses what waits within its time, and takes holds again as soon as another one answers', async () => {
    const wire = await openWire(asService(test.url, 'billing'), 5432);
    const accountId = (await anAccount(test.database, { quota })).id;
    billing = await startBilling(
      { url: test.url },
      { DATABASE_URL: wire.url, DATABASE_SILENCE_MS: 700 },
    );
    await billing.hold(aHoldOf(accountId, 1));
    wire.fallSilent();
    const startedMs = performance.now();
    const asked = await Promise.all([1, 2, 3].map(() => billing.hold(aHoldOf(accountId, 1))));
    expect(asked.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(performance.now() - startedMs).toBeLessThan(4_000);
    wire.replace();

    const response = await billing.hold(aHoldOf(accountId, 1));

    expect(await response.json()).toMatchObject({ outcome: 'held' });
    await wire.close();
  });
});
