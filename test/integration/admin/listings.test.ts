import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGoneModels } from '@gateway/store';
import { aQueuedTask, openTestDatabase, testRedis, type TestDatabase } from '@gateway/testing';
import { storiesOf } from '../store/stories.ts';
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

describe('routes whose vendors have no such model', () => {
  it('are shown with what the vendor said, and are used again on request', async () => {
    expect((await run('routes', 'gone')).lines).toEqual([
      'no vendor has said that it lacks a model',
    ]);
    await createGoneModels(test.database).heard(
      { provider: 'ark', upstreamModel: 'old-1' },
      { taskId: 'x', detail: 'no such endpoint', pause: { firstMs: 60_000, maxMs: 60_000 } },
    );

    expect((await run('routes', 'gone')).lines[0]).toMatch(
      /^ark\/old-1 .*refused once.*no such endpoint$/,
    );
    const retry = () => run('routes', 'retry', '--provider', 'ark', '--upstream-model', 'old-1');
    expect((await retry()).lines).toEqual(['ark/old-1 gets tasks again']);
    expect((await retry()).lines).toEqual(['ark/old-1 was not left out']);
    await expect(
      run('routes', 'retry', '--provider', 'ark', '--upstream-model', ''),
    ).rejects.toMatchObject({ name: 'UsageError' });
  });
});

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
    expect(await dataOf('tasks', '--id', task.id)).toMatchObject([{ id: task.id }]);
    expect(await dataOf('tasks', '--stuck', '--account', id)).toEqual([]);
    expect(await dataOf('tasks', '--older-than', '1h', '--account', id)).toEqual([]);
    expect((await run('tasks', '--id', task.id)).lines[0]).toMatch(
      /queued \(submit\), \ds old, deadline in .*vendor task none/,
    );
    await expect(run('tasks', '--older-than', '2w')).rejects.toThrow(/^--older-than must be/);
    await expect(run('tasks', '--account', 'x')).rejects.toThrow(/^--account must be/);
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

  it('show one task with its events, tries, hold and callback', async () => {
    const { id } = await anAccount('100000');
    const task = await storiesOf(test.database, id).running({
      callbackUrl: 'https://receiver.example/hook',
    });

    const { lines, data } = await run('task', 'show', task.id);

    expect(data).toMatchObject({
      overview: { id: task.id, accountId: id, vendorTaskId: 'vendor-1' },
      events: [{ status: 'queued' }, { status: 'running' }],
      tries: [{ outcome: 'accepted' }],
      hold: { quota: 50, state: 'open' },
      callback: { state: 'unverified' },
      exposures: [],
    });
    expect(lines[0]).toMatch(new RegExp(`^${task.id}  running \\(poll\\), \\ds old, deadline in`));
    expect(lines.join('\n') + JSON.stringify(data)).not.toContain(task.request.prompt);
    await expect(run('task', 'show', 'video_01h455vb4pex5vsknk084sn02q')).rejects.toMatchObject({
      name: 'UsageError',
    });
  });

  it('show what an account used', async () => {
    const { id } = await anAccount('100000');
    expect((await run('usage', '--account', id)).lines).toEqual([
      expect.stringContaining('nothing was used'),
    ]);
    await storiesOf(test.database, id).succeeded(3);

    const { lines, data } = await run('usage', '--account', id);

    expect(data).toMatchObject({ account_id: id, data: [{ seconds: 3, quota: 30 }] });
    expect(lines.at(-1)).toMatch(/: 1 requests, 3 s of video, 30 quota$/);
    await expect(run('usage', '--account', id, '--from', 'x')).rejects.toThrow(/^--from must be/);
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
