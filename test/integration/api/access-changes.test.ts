import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  openAccessChanges,
  createAccounts,
  createDatabase,
  createKeyUses,
  hashOfKey,
  type AccessChanges,
  type KeyRecord,
} from '@gateway/store';
import {
  eventually,
  openTestDatabase,
  openWire,
  recordingLog,
  type TestDatabase,
  type Wire,
} from '@gateway/testing';
import { createKeyCache, type KeyCache } from '../../../services/api/src/adapters/key-cache.ts';
import { createKeyReads } from '../../../services/api/src/adapters/key-reads.ts';

const timings = { askMs: 50, silentMs: 1_500, reconnectMs: 50 };

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

/** What a replica knows of keys; it hears of changes over a wire of its own. */
interface Replica {
  readonly wire: Wire;
  readonly changes: AccessChanges;
  readonly keys: KeyCache<KeyRecord>;
  readonly lookups: () => number;
  readonly log: ReturnType<typeof recordingLog>;
  close(): Promise<void>;
}

async function openReplica(): Promise<Replica> {
  const wire = await openWire(test.url, 5432);
  const listening = createDatabase({
    url: wire.url,
    applicationName: 'test',
    poolSize: 1,
    onError: () => undefined,
  });
  const log = recordingLog();
  const changes = openAccessChanges(listening, {
    onChange: (accountId) => {
      keys.changed(accountId);
    },
    log,
    timings,
  });
  let lookups = 0;
  const readKey = createKeyReads(createAccounts(test.database));
  const keys = createKeyCache(
    (apiKey) => {
      lookups += 1;
      return readKey(apiKey);
    },
    changes,
    { unknownPerMinute: 1_000 },
  );
  await changes.part.start();
  await heardAnew(changes);
  return {
    wire,
    changes,
    keys,
    lookups: () => lookups,
    log,
    async close() {
      await changes.part.stop();
      // Cut first: a connection that is silent is waited for.
      await wire.close();
      await listening.part.stop();
    },
  };
}

let replica: Replica;
beforeEach(async () => {
  replica = await openReplica();
});
afterEach(() => replica.close());

/** Until all that was committed before this moment has been heard. */
async function heardAnew(changes = replica.changes): Promise<void> {
  const nowMs = performance.now();
  await eventually(() => {
    expect(changes.heardUntilMs()).toBeGreaterThan(nowMs);
  });
}

async function aKey(): Promise<{ id: string; accountId: string; apiKey: string }> {
  const accounts = createAccounts(test.database);
  const [id, accountId] = [newId('key'), newId('account')];
  const apiKey = `sk-gw-${id}`;
  await accounts.create({ id: accountId, name: 'Test', callbackSecret: 'whsec_b25l' });
  await accounts.createKey({
    id,
    accountId,
    name: 'laptop',
    hash: hashOfKey(apiKey),
    prefix: 'sk-gw-abcd',
    scopes: ['text'],
    models: [],
    expiresAt: null,
  });
  return { id, accountId, apiKey };
}

const find = async (apiKey: string) => replica.keys.find(apiKey, '127.0.0.1');
const run = (sql: string, id: string) => test.database.pool.query(sql, [id]);
const revoke = ({ id }: { id: string }) =>
  run('UPDATE api_key SET revoked_at = now() WHERE id = $1', id);

describe('what is remembered of a key', () => {
  it.each<[string, string, 'id' | 'accountId', object | undefined]>([
    [
      'was revoked',
      'UPDATE api_key SET revoked_at = now() WHERE id = $1',
      'id',
      { revokedAt: expect.any(Date) as unknown },
    ],
    [
      'has another limit',
      'UPDATE api_key SET requests_per_minute = 7 WHERE id = $1',
      'id',
      { requestsPerMinute: 7 },
    ],
    [
      'may use other models',
      `UPDATE api_key SET models = '{a}' WHERE id = $1`,
      'id',
      { models: ['a'] },
    ],
    [
      'may have fewer videos',
      'UPDATE account SET active_videos_limit = 3 WHERE id = $1',
      'accountId',
      { activeVideosLimit: 3 },
    ],
    ['was deleted', 'DELETE FROM api_key WHERE id = $1', 'id', undefined],
    [
      'is of a suspended account',
      'UPDATE account SET suspended_at = now() WHERE id = $1',
      'accountId',
      { suspendedAt: expect.any(Date) as unknown },
    ],
  ])('that %s is told', async (_what, sql, of, expected) => {
    const key = await aKey();
    await find(key.apiKey);
    await run(sql, key[of]);
    await heardAnew();

    const found = await find(key.apiKey);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });

  it('stays for as long as nothing but its use changes', async () => {
    const [key, other] = [await aKey(), await aKey()];
    await find(key.apiKey);
    const before = replica.lookups();
    await createKeyUses(test.database).save([{ keyId: key.id, at: new Date() }]);
    await revoke(other);
    await heardAnew();
    await find(key.apiKey);

    expect(replica.lookups()).toBe(before);
  });

  it('is right within five seconds when the connection is silent, in one direction or both, or cut', async () => {
    const faults: readonly ((wire: Wire) => void)[] = [
      (wire) => {
        wire.fallSilent();
      },
      (wire) => {
        wire.fallSilent('client');
      },
      (wire) => {
        wire.cut();
      },
    ];
    const isRight = async (breakIt: (wire: Wire) => void): Promise<void> => {
      const broken = await openReplica();
      try {
        const { id, apiKey } = await aKey();
        const found = () => broken.keys.find(apiKey, '127.0.0.1');
        await found();
        breakIt(broken.wire);
        await revoke({ id });
        await eventually(
          async () => {
            expect((await found())?.revokedAt).toEqual(expect.any(Date));
          },
          { withinMs: 5_000 },
        );
      } finally {
        await broken.close();
      }
    };

    // Together, since each takes its seconds.
    const results = await Promise.allSettled(faults.map(isRight));

    expect(results.map(({ status }) => status)).toEqual(faults.map(() => 'fulfilled'));
  });

  it('is right within five seconds when a trigger is disabled', async () => {
    const key = await aKey();
    await find(key.apiKey);
    const alter = (what: string) =>
      test.database.pool.query(`ALTER TABLE api_key ${what} TRIGGER api_key_tells_change`);
    await alter('DISABLE');
    try {
      await revoke(key);
      await eventually(
        async () => {
          expect((await find(key.apiKey))?.revokedAt).toEqual(expect.any(Date));
        },
        { withinMs: 5_000 },
      );
    } finally {
      await alter('ENABLE ALWAYS');
    }
  });

  it('is told of what a session changes that replays', async () => {
    const key = await aKey();
    await find(key.apiKey);
    const client = await test.database.pool.connect();
    await client.query('SET session_replication_role = replica');
    await client.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [key.id]);
    client.release(true);
    await heardAnew();

    expect((await find(key.apiKey))?.revokedAt).toEqual(expect.any(Date));
  });

  it('is read again when the connection was away, for what changed meanwhile', async () => {
    const key = await aKey();
    await find(key.apiKey);
    replica.wire.cut();
    await eventually(() => {
      expect(replica.changes.heardUntilMs()).toBe(-Infinity);
    });
    await revoke(key);
    replica.wire.mend();
    await heardAnew();
    await eventually(
      async () => {
        expect((await find(key.apiKey))?.revokedAt).toEqual(expect.any(Date));
      },
      { withinMs: 5_000 },
    );

    expect(replica.log.lines.map(({ message }) => message)).toEqual([
      'changes of keys are not told, each key is read again every few seconds',
      'changes of keys are told again',
    ]);
  });
});

it('hears nothing behind a pooler that shares sessions, where others would get what is told', async () => {
  const url = new URL(test.url);
  url.searchParams.set('pgbouncer', 'true');
  const shared = createDatabase({
    url: url.href,
    applicationName: 'test',
    poolSize: 1,
    onError: () => undefined,
  });
  const changes = openAccessChanges(shared, {
    onChange: () => undefined,
    log: recordingLog(),
    timings,
  });
  await changes.part.start();
  await shared.pool.query('SELECT pg_sleep(0.2)');

  expect(changes.heardUntilMs()).toBe(-Infinity);
  await changes.part.stop();
  await shared.part.stop();
});
