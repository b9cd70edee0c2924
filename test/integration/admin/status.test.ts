import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createReplicaReports } from '@gateway/store';
import { openTestDatabase, testRedis, type TestDatabase } from '@gateway/testing';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';
import { configurationIn, minimal } from '../../unit/contracts/configuration-text.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

async function run(): Promise<CommandResult> {
  const parsed = parse(['status']);
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
      loadConfiguration: () => configurationIn(minimal),
    }),
  );
}

describe('the command status', () => {
  it('shows providers, late work and what each replica works with and refused', async () => {
    expect((await run()).lines).toContain('no service says that it is running');
    const since = '2026-01-01T00:00:00.000Z';
    await createReplicaReports(test.database).note({
      id: 'worker-1',
      service: 'video-worker',
      version: '1.2.3',
      facts: {
        configuration: {
          generation: 2,
          hash: 'abc',
          since,
          refused: { hash: 'def', at: since, problems: ['gateway.yaml:3 no such kind'] },
        },
      },
    });

    const { ok, lines, data } = await run();

    expect(ok).toBe(true);
    expect(data).toMatchObject({ object: 'admin.status', answered_by: null });
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^provider \S+ {2}0 of \d+ slots {2}0 waiting {2}breaker not known/),
        'work video  0 due',
        expect.stringMatching(
          /^replica video-worker worker-1 {2}version 1\.2\.3, since .* {2}configuration abc \(2\) since 2026/,
        ),
        '  refused def at 2026-01-01T00:00:00.000Z',
        '    gateway.yaml:3 no such kind',
        expect.stringMatching(/^database PostgreSQL \d.*, migration 20\d+_/),
      ]),
    );
  });
});
