import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, createJournal, createTaskReads, type Database } from '@gateway/store';
import { asService, openTestDatabase, type TestDatabase } from '@gateway/testing';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';
import { storiesOf } from '../store/stories.ts';

let test: TestDatabase;
/** With the rights of the command alone. */
let database: Database;
beforeAll(async () => {
  test = await openTestDatabase();
  database = createDatabase({
    url: asService(test.url, 'admin'),
    applicationName: 'admin',
    poolSize: 2,
    onError: () => undefined,
  });
});
afterAll(async () => {
  await database.part.stop();
  await test.close();
});

async function run(...args: string[]): Promise<CommandResult> {
  const parsed = parse(args);
  if (parsed.kind === 'help') throw new Error('this is a help page');
  return parsed.run(
    portsOf({
      settings: { DATABASE_URL: test.url, CALLBACK_SECRET_KEYS: '', QUEUE_PREFIX: 'unused' },
      database,
      loadConfiguration: () => {
        throw new Error('not asked for');
      },
    }),
  );
}

async function anAccount(): Promise<string> {
  const { data } = await run('account', 'create', '--name', 'Acme', '--quota', '100000');
  return (data as { id: string }).id;
}

describe('task cancel', () => {
  it('ends a task that no vendor has, asks for others, and says when it is too late', async () => {
    const accountId = await anAccount();
    const stories = storiesOf(test.database, accountId);
    const queued = await stories.queued({ callbackUrl: 'https://receiver.example/hook' });
    const running = await stories.running();
    const over = await stories.ended('failed');

    const results = [];
    for (const { id } of [queued, running, over]) results.push(await run('task', 'cancel', id));

    expect(results).toMatchObject([
      { ok: true, data: { outcome: 'cancelled' } },
      { ok: true, data: { outcome: 'requested' } },
      { ok: false, data: { outcome: 'too_late' } },
    ]);
    const { find } = createTaskReads(test.database);
    expect(await find(queued.id)).toMatchObject({ status: 'cancelled', eventSequence: 2 });
    expect((await find(running.id))!.cancelRequestedAt).not.toBeNull();
    expect((await run('journal', '--account', accountId)).lines).toEqual([
      expect.stringMatching(new RegExp(`command task.cancel {2}${running.id}`)),
      expect.stringMatching(new RegExp(`command task.cancel {2}${queued.id}`)),
    ]);
    await expect(run('task', 'cancel', 'video_01h455vb4pex5vsknk084sn02q')).rejects.toMatchObject({
      name: 'UsageError',
    });
  });
});

describe('changes of keys and accounts', () => {
  it('take what was said and leave the rest, by the rules of the HTTP routes', async () => {
    const accountId = await anAccount();
    const made = await run('key', 'create', '--account', accountId, '--name', 'k');
    const { id } = made.data as { id: string };

    await run('key', 'change', '--id', id, '--models', 'a,b', '--requests-per-minute', '9');
    await run('key', 'change', '--id', id, '--models', 'all', '--scopes', 'text');
    await run('account', 'change', '--account', accountId, '--name', 'Acme Films');

    const { data } = await run('key', 'list', '--account', accountId);
    expect((data as { data: object[] }).data).toMatchObject([
      { id, name: 'k', models: [], scopes: ['text'], requestsPerMinute: 9 },
    ]);
    expect((await run('account', 'show', '--account', accountId)).lines[0]).toContain('Acme Films');
    await run('account', 'change', '--account', accountId, '--active-videos-limit', '7');
    expect((await run('account', 'show', '--account', accountId)).lines[0]).toContain(
      '0 active videos of 7',
    );
    await run('key', 'change', '--id', id, '--requests-per-minute', 'default');
    const { items } = await createJournal(test.database).page({ limit: 20, accountId });
    expect(items.map(({ via, action, details }) => [via, action, details])).toEqual([
      ['command', 'key.change', { requests_per_minute: null }],
      ['command', 'account.change', { active_videos_limit: 7 }],
      ['command', 'account.change', { name: 'Acme Films' }],
      ['command', 'key.change', { models: [], scopes: ['text'] }],
      ['command', 'key.change', { models: ['a', 'b'], requests_per_minute: 9 }],
    ]);
  });

  it.each([
    [['key', 'change', '--id', 'key_x'], /^give at least one of name, scopes/],
    [['key', 'change', '--id', 'key_x', '--scopes', 'all'], /^--scopes/],
    [['key', 'change', '--id', 'key_x', '--requests-per-minute', '0'], /^--requests-per-minute/],
    [['key', 'change', '--id', 'key_x', '--name', 'x'], /does not exist, or is revoked/],
    [['account', 'change', '--account', 'acct_x', '--name', 'x'], /does not exist/],
    [['journal', '--after', 'x'], /^--after must be/],
  ])('refuse %j', async (args, why) => {
    await expect(run(...args)).rejects.toThrow(why);
  });
});
