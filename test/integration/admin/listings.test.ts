import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aQueuedTask, openTestDatabase, testRedis, type TestDatabase } from '@gateway/testing';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

async function run(...args: string[]): Promise<CommandResult> {
  const parsed = parse(args);
  if (parsed.kind === 'help') throw new Error('this is a help page');
  const { url, prefix } = testRedis();
  return parsed.run(
    portsOf({
      settings: {
        DATABASE_URL: test.url,
        CALLBACK_SECRET_KEYS: '',
        QUEUE_PREFIX: prefix,
        REDIS_URL: url,
      },
      database: test.database,
      loadConfiguration: () => {
        throw new Error('not asked for');
      },
    }),
  );
}

const dataOf = async (...args: string[]): Promise<Record<string, string>[]> =>
  ((await run(...args)).data as { data: Record<string, string>[] }).data;
const anAccount = async (quota = '0'): Promise<{ id: string; callback_secret: string }> =>
  (await run('account', 'create', '--name', 'Acme', '--quota', quota)).data as {
    id: string;
    callback_secret: string;
  };

describe('the lists of the admin command', () => {
  it('show accounts page by page, and one by its id', async () => {
    const [older, newer] = [await anAccount('500'), await anAccount()];
    const first = await run('account', 'list', '--limit', '1');

    expect(first).toMatchObject({ ok: true, data: { data: [{ id: newer.id }], has_more: true } });
    expect(first.lines.at(-1)).toContain('--after');
    expect(await dataOf('account', 'list', '--limit', '1', '--after', newer.id)).toMatchObject([
      { id: older.id, balanceQuota: 500 },
    ]);
    expect((await run('account', 'show', '--account', older.id)).lines[0]).toContain(
      'balance 500, held 0',
    );
    await expect(run('account', 'show', '--account', 'acct_x')).rejects.toMatchObject({
      name: 'UsageError',
    });
  });

  it('say which account is suspended, until it is resumed', async () => {
    const { id } = await anAccount();
    const line = async (): Promise<string | undefined> =>
      (await run('account', 'show', '--account', id)).lines[0];

    expect(await run('account', 'suspend', '--account', id)).toMatchObject({
      ok: true,
      data: { id, suspended: true },
    });
    expect(await line()).toMatch(/SUSPENDED 20\d\d-/);
    expect(await run('account', 'resume', '--account', id)).toMatchObject({
      data: { id, suspended: false },
    });
    expect(await line()).not.toContain('SUSPENDED');
    await expect(run('account', 'suspend', '--account', 'acct_x')).rejects.toMatchObject({
      name: 'UsageError',
    });
  });

  it('show keys without the keys themselves', async () => {
    const { id } = await anAccount();
    const { api_key: apiKey } = (
      await run(
        'key',
        'create',
        '--account',
        id,
        '--name',
        'k',
        '--models',
        'm',
        '--requests-per-minute',
        '7',
      )
    ).data as { api_key: string };
    const listed = await run('key', 'list', '--account', id);

    expect(listed.data).toMatchObject({
      data: [
        {
          accountId: id,
          name: 'k',
          prefix: apiKey.slice(0, 12),
          models: ['m'],
          requestsPerMinute: 7,
          lastUsedAt: null,
          revokedAt: null,
        },
      ],
    });
    expect(JSON.stringify(listed)).not.toContain(apiKey);
  });

  it('show tasks by their filters, the ledger and the queues', async () => {
    const { id } = await anAccount('1000');
    const task = await aQueuedTask(test.database, id);

    expect(
      await dataOf(
        'tasks',
        '--status',
        'queued',
        '--account',
        id,
        '--provider',
        'sandbox',
        '--model',
        'sandbox-video',
      ),
    ).toMatchObject([{ id: task.id, accountId: id }]);
    expect(await dataOf('tasks', '--status', 'failed', '--account', id)).toEqual([]);
    const entries = await dataOf('ledger', '--account', id);
    expect(entries.map(({ kind }) => kind)).toEqual(['hold', 'top_up']);
    expect(await dataOf('ledger', '--account', id, '--after', entries[0]!['id']!)).toMatchObject([
      { kind: 'top_up' },
    ]);
    expect((await dataOf('queues')).map(({ name }) => name)).toEqual([
      'video',
      'callback',
      'billing',
      'metering',
    ]);
  });

  it('say when the secret of an account changed', async () => {
    const account = await anAccount();
    const { data, lines } = await run('callback-secret', 'rotate', '--account', account.id);

    expect(data).toMatchObject({
      account_id: account.id,
      callback_secret: expect.stringMatching(/^whsec_/),
      previous: [{ expires_at: expect.any(Date) }],
    });
    expect((data as { callback_secret: string }).callback_secret).not.toBe(account.callback_secret);
    expect(lines[1]).toBe('older secrets that still sign: 1');
  });
});
