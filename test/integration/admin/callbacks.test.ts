import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createCallbackDeliveries,
  createCallbackRecords,
  createCallbacks,
  createCallbackSecrets,
  createDatabase,
  type Database,
} from '@gateway/store';
import { anAccount, aQueuedTask, openTestDatabase, type TestDatabase } from '@gateway/testing';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';

const key = (kid: string, fill: number): string =>
  `${kid}:${Buffer.alloc(32, fill).toString('base64')}`;

let test: TestDatabase;
let accountId: string;
const databases: Database[] = [];
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(async () => {
  for (const { part } of databases) await part.stop();
  await test.close();
});

/** The same database, with keys for the secrets in it. */
function withKeys(secretKeys: string): Database {
  const database = createDatabase({
    url: test.url,
    applicationName: 'test',
    poolSize: 2,
    secretKeys,
    onError: () => undefined,
  });
  databases.push(database);
  return database;
}

function run(args: readonly string[], database = test.database): Promise<CommandResult> {
  const parsed = parse(args);
  if (parsed.kind === 'help') throw new Error('this is a help page');
  const settings = {
    DATABASE_URL: test.url,
    CALLBACK_SECRET_KEYS: '',
    QUEUE_PREFIX: 'unused',
    MEDIA_STORAGE: 'file',
    STORAGE_DIR: 'unused',
  } as const;
  return parsed.run(
    portsOf({
      settings,
      database,
      loadConfiguration: () => {
        throw new Error('no command here reads the configuration');
      },
    }),
  );
}

const stored = async (): Promise<string[]> =>
  (
    await test.database.pool.query<{ secret: string }>(
      'SELECT secret FROM callback_secret WHERE account_id = $1 ORDER BY id',
      [accountId],
    )
  ).rows.map(({ secret }) => secret);

describe('the secrets of an account, for the operator', () => {
  beforeAll(async () => {
    accountId = (await anAccount(test.database)).id;
  });

  it('are sealed where they were in clear, sealed anew after a new first key, and stay the same', async () => {
    const first = withKeys(key('k1', 1));
    const [clear] = await stored();

    expect((await run(['callback-secret', 'seal'], first)).lines).toEqual([
      'callback secrets sealed: 1',
    ]);
    expect(await stored()).toEqual([expect.stringMatching(/^sealed\.k1\./)]);
    expect((await run(['callback-secret', 'seal'], first)).data).toEqual({ sealed: 0 });

    const rotated = withKeys(`${key('k2', 2)},${key('k1', 1)}`);
    expect((await run(['callback-secret', 'seal'], rotated)).data).toEqual({ sealed: 1 });
    expect(await stored()).toEqual([expect.stringMatching(/^sealed\.k2\./)]);
    expect(await createCallbackSecrets(withKeys(key('k2', 2))).valid(accountId)).toMatchObject([
      { secret: clear },
    ]);
  });

  it('cannot be opened, nor sealed anew, without the key that they are sealed under, and none is lost by the try', async () => {
    const before = await stored();

    await expect(run(['callback-secret', 'seal'], withKeys(key('k3', 3)))).rejects.toThrow(
      '"k2", which CALLBACK_SECRET_KEYS does not have',
    );
    expect(await stored()).toEqual(before);
  });

  it('are rotated: the new one is shown once, stored sealed, and the one before signs on for as long as asked', async () => {
    const database = withKeys(key('k2', 2));

    const { data, lines } = await run(
      ['callback-secret', 'rotate', '--account', accountId, '--overlap', '3600'],
      database,
    );

    const { callback_secret: secret, previous } = data as {
      callback_secret: string;
      previous: { expires_at: Date }[];
    };
    expect(lines[0]).toContain(secret);
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
    expect(
      (await createCallbackSecrets(database).valid(accountId)).map((one) => one.secret),
    ).toEqual([secret, expect.stringMatching(/^whsec_/)]);
    expect((await stored()).every((one) => one.startsWith('sealed.k2.'))).toBe(true);
    expect(previous).toHaveLength(1);
    expect(Math.abs(previous[0]!.expires_at.getTime() - Date.now() - 3_600_000)).toBeLessThan(
      60_000,
    );
  });

  it.each([['-1'], ['604801'], ['soon']])(
    'are not rotated with the overlap %s',
    async (overlap) => {
      const before = await stored();

      await expect(
        run(['callback-secret', 'rotate', '--account', accountId, `--overlap=${overlap}`]),
      ).rejects.toThrow('--overlap must be a whole number of seconds up to 604800');
      expect(await stored()).toEqual(before);
    },
  );
});

describe('the pushes of a task, for the operator', () => {
  let taskId: string;
  let ownerId: string;
  beforeAll(async () => {
    ownerId = (await anAccount(test.database)).id;
    taskId = (
      await aQueuedTask(test.database, ownerId, { callbackUrl: 'https://receiver.example/' })
    ).id;
    await createCallbacks(test.database).claim({
      callbackId: taskId,
      token: 't',
      forMs: 1_000,
      newChallenge: 'c',
    });
    await createCallbackRecords(test.database).recordAttempt({
      callbackId: taskId,
      token: 't',
      progress: { kind: 'stop', failures: 1, reason: 'mismatch' },
      attempt: {
        id: newId('attempt'),
        sequence: null,
        attempt: 1,
        trigger: 'auto',
        startedAt: new Date('2026-05-04T10:00:00Z'),
        durationMs: 12,
        attemptClass: 'mismatch',
        httpStatus: 200,
        remoteAddress: '192.0.2.7',
        detail: 'the body was "no"',
        answerExcerpt: 'no',
      },
    });
  });

  it('are shown with the address that was reached and what was wrong', async () => {
    const { lines } = await run(['callbacks', 'log', taskId]);

    expect(lines).toEqual([
      'stopped (mismatch): 1 failures in a row, 0 pushes pending, delivered up to event none',
      '2026-05-04T10:00:00.000Z  challenge  attempt 1  mismatch 200  12 ms  192.0.2.7  the body was "no"',
    ]);
  });

  it('are in the list of all accounts, by their state', async () => {
    const { lines, data } = await run(['callbacks', 'list', '--state', 'stopped']);

    expect(lines).toEqual([
      `${taskId}  ${ownerId}  stopped (mismatch)  1 failures in a row, 0 pushes pending  https://receiver.example  last 2026-05-04T10:00:00.000Z mismatch 200`,
    ]);
    expect(data).toMatchObject({ data: [{ taskId, state: 'stopped' }], has_more: false });
    expect((await run(['callbacks', 'list', '--state', 'delivered'])).lines).toEqual([
      'no callback matches',
    ]);
    await expect(run(['callbacks', 'list', '--state', 'lost'])).rejects.toThrow(
      '--state must be one of delivered, pending, failing, stopped',
    );
    await expect(run(['callbacks', 'list', '--account', 'me'])).rejects.toThrow(
      '--account must be',
    );
  });

  it('are begun anew on request, and twice is once', async () => {
    for (let asked = 0; asked < 2; asked += 1) {
      expect(await run(['callbacks', 'redeliver', taskId])).toMatchObject({
        ok: true,
        data: { task_id: taskId, asked: true },
      });
    }

    expect(await createCallbackDeliveries(test.database).summary(taskId)).toMatchObject({
      state: 'unverified',
      stopReason: null,
      pendingPushes: 1,
    });
    expect((await run(['journal', '--account', ownerId])).lines).toEqual(
      Array.from({ length: 2 }, () =>
        expect.stringMatching(new RegExp(`command callback.redeliver  ${taskId}`)),
      ),
    );
  });

  it.each([['log'], ['redeliver']])(
    'are a wrong use of callbacks %s where there are none, or where the id is none',
    async (command) => {
      const without = await aQueuedTask(test.database, (await anAccount(test.database)).id, {
        callbackUrl: null,
      });

      await expect(run(['callbacks', command, without.id])).rejects.toThrow(
        `${without.id} has no callback`,
      );
      await expect(run(['callbacks', command, 'video-1'])).rejects.toThrow('a video id looks like');
    },
  );
});
