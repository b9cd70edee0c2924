import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTaskMoves } from '@gateway/store';
import { anAccount, openTestDatabase, testRedis, type TestDatabase } from '@gateway/testing';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';
import { configurationIn, minimal } from '../../unit/contracts/configuration-text.ts';
import { aResult, contentOf, storiesOf, won } from '../store/stories.ts';

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
        GATEWAY_CONFIG: 'gateway.yaml',
      },
      database: test.database,
      loadConfiguration: () => configurationIn(`${minimal}quota_per_currency: { USD: 100 }\n`),
    }),
  );
}

describe('the command margin', () => {
  it('shows what came in and went out, in lines and for scripts', async () => {
    const { id } = await anAccount(test.database, { quota: 1_000 });
    const running = await storiesOf(test.database, id).running();
    const moves = createTaskMoves(test.database);
    won(
      await moves.move(running, 'stored', {
        changes: { step: 'done', result: aResult, billed: { seconds: 5, quota: 50 } },
        media: [contentOf(running)],
        cost: { amount: '0.35', currency: 'USD', source: 'reported' },
      }),
    );
    const unknown = await storiesOf(test.database, id).ended('expired');
    const exposure = { provider: 'sandbox', vendorTaskId: null, detail: 'gone' } as const;
    await moves.recordExposure({ ...exposure, taskId: unknown.id, kind: 'watch_ended' });

    const { ok, lines, data } = await run('margin');

    expect(ok).toBe(true);
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d{4}-\d\d-\d\d {2}sandbox-video {2}sandbox {2}1 videos, revenue 50, cost 0.35 USD, margin 15$/,
      ),
      expect.stringMatching(/ to .*: 1 videos, revenue 50, cost 0.35 USD, margin 15$/),
      expect.stringMatching(/^exposure .* watch_ended .* cost not known {2}gone$/),
    ]);
    expect(data).toMatchObject({ total: { revenue_quota: 50, cost_quota: 35, margin_quota: 15 } });
  });

  it('refuses days that are none', async () => {
    await expect(run('margin', '--from', 'monday')).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('--from must be a day') as unknown,
    });
  });
});
