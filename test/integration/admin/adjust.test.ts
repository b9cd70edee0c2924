import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, createHolds, type Database } from '@gateway/store';
import { anAccount, asService, openTestDatabase, type TestDatabase } from '@gateway/testing';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';
import { violations } from '../store/books.ts';
import { storiesOf } from '../store/stories.ts';

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await openTestDatabase();
  database = createDatabase({
    url: asService(test.url, 'admin'),
    applicationName: 'test admin',
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
      settings: { DATABASE_URL: test.url, CALLBACK_SECRET_KEYS: '', QUEUE_PREFIX: 'x' },
      database,
      loadConfiguration: () => {
        throw new Error('not asked for');
      },
    }),
  );
}

const adjust = (accountId: string, key: string, ...more: string[]) =>
  run(
    'adjust',
    '--account',
    accountId,
    '--note',
    'a wrong price',
    '--idempotency-key',
    key,
    ...more,
  );

describe('the adjust command', () => {
  it('shows what it would do, does it once, and has it in the statement', async () => {
    const { id } = await anAccount(test.database, { quota: 1_000 });
    const task = await storiesOf(test.database, id).succeeded(5);
    await createHolds(test.database).settle(task.id);
    const asked = ['--debit', '600', '--task', task.id] as const;

    expect((await adjust(id, 'k', ...asked, '--dry-run')).lines).toEqual([
      '600 would be taken',
      '  before  balance 950, held 0, available 950',
      '  after   balance 350, held 0, available 350',
      'this was a dry run: nothing was changed',
    ]);
    expect((await adjust(id, 'k', ...asked)).lines[0]).toBe('600 taken');
    expect((await adjust(id, 'k', ...asked)).lines).toEqual([
      'nothing adjusted: this key was used before, for the same',
      '  before  balance 350, held 0, available 350',
      '  after   balance 350, held 0, available 350',
    ]);
    expect((await adjust(id, 'k2', '--credit', '50')).data).toMatchObject({
      adjusted_quota: 50,
      dry_run: false,
      before: { balance_quota: 350 },
      after: { balance_quota: 400 },
    });

    const { lines, data } = await run('billing', 'statement', '--account', id);
    expect(data).toMatchObject({
      totals: { adjustment: -550 },
      closing: { balance_quota: 400, held_quota: 0 },
    });
    expect(lines.at(-3)).toMatch(
      new RegExp(`adjustment +-600 {2}balance 350, held 0 {2}${task.id} {2}\\(a wrong price\\)$`),
    );
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('is refused with both figures, and for what is not the account’s', async () => {
    const { id } = await anAccount(test.database, { quota: 60 });
    const stranger = await anAccount(test.database);
    const theirs = await storiesOf(test.database, stranger.id).running();
    await storiesOf(test.database, id).running();

    await expect(adjust(id, 'k', '--debit', '11')).rejects.toMatchObject({
      code: 'insufficient_quota',
      message: expect.stringMatching(/takes 11 quota and the account has 10 available, beside 50/),
    });
    await expect(adjust(id, 'k', '--credit', '1', '--task', theirs.id)).rejects.toMatchObject({
      code: 'task_not_found',
    });
    await adjust(id, 'k', '--debit', '10');
    await expect(adjust(id, 'k', '--debit', '9')).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      message: expect.stringContaining('used for an adjustment of -10 (a wrong price)'),
    });
  });
});
