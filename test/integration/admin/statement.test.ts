import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHolds, createLedger, createLedgerReads, createMetering } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';
import { storiesOf } from '../store/stories.ts';
import { aSavedBatch, aUsageRecord, units } from '../store/usage.ts';

let test: TestDatabase;
let accountId: string;
let taskId: string;
/**
 * Topped up on the 1st, a video on the 2nd (held 50, charged 30), text on the 3rd (2 units), a
 * second top-up on the 4th.
 */
beforeAll(async () => {
  test = await openTestDatabase();
  accountId = (await anAccount(test.database, { quota: 1_000 })).id;
  taskId = (await storiesOf(test.database, accountId).succeeded(3)).id;
  await createHolds(test.database).settle(taskId);
  const batch = await aSavedBatch(test.database, [
    aUsageRecord(accountId, { cost_nano: units(2.5) }),
  ]);
  await createMetering(test.database).apply(batch.id);
  await createLedger(test.database).topUp(accountId, 500, '=HYPERLINK("x"), "bonus"');
  await test.database.pool.query(
    'ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_append_only',
  );
  await test.database.pool.query(
    `UPDATE ledger_entry SET created_at = CASE WHEN kind = 'top_up' AND note = 'test' THEN '2026-11-01T09:00:00Z' WHEN task_id IS NOT NULL THEN '2026-11-02T23:59:59.999Z'
       WHEN kind = 'charge' THEN '2026-11-03T00:00:00Z' ELSE '2026-11-04T12:00:00Z' END::timestamptz`,
  );
});
afterAll(() => test.close());

async function run(...args: string[]): Promise<CommandResult> {
  const parsed = parse(['billing', 'statement', '--account', accountId, ...args]);
  if (parsed.kind === 'help') throw new Error('this is a help page');
  return parsed.run(
    portsOf({
      settings: { DATABASE_URL: test.url, CALLBACK_SECRET_KEYS: '', QUEUE_PREFIX: 'unused' },
      database: test.database,
      loadConfiguration: () => {
        throw new Error('not asked for');
      },
    }),
  );
}

describe('the statement of an account', () => {
  it('leads from nothing to the balance, entry by entry', async () => {
    const { ok, data } = await run();

    expect(ok).toBe(true);
    expect(data).toMatchObject({
      account_id: accountId,
      opening: { balance_quota: 0, held_quota: 0 },
      entries: [
        {
          kind: 'top_up',
          quota: 1_000,
          balance_after: 1_000,
          held_after: 0,
          task_id: null,
          note: 'test',
        },
        { kind: 'hold', quota: 50, balance_after: 1_000, held_after: 50, task_id: taskId },
        { kind: 'charge', quota: 30, balance_after: 970, held_after: 20, task_id: taskId },
        { kind: 'release', quota: 20, balance_after: 970, held_after: 0, task_id: taskId },
        { kind: 'charge', quota: 2, balance_after: 968, held_after: 0, task_id: null },
        { kind: 'top_up', quota: 500, balance_after: 1_468, held_after: 0 },
      ],
      totals: { top_up: 1_500, hold: 50, charge: 32, release: 20 },
      closing: { balance_quota: 1_468, held_quota: 0 },
    });
    await expect(createLedger(test.database).balanceOf(accountId)).resolves.toMatchObject({
      balanceQuota: 1_468,
      heldQuota: 0,
    });
  });

  it.each([
    [['--from', '2026-11-02', '--to', '2026-11-02'], 1_000, ['hold', 'charge', 'release'], 970],
    [['--from', '2026-11-03'], 970, ['charge', 'top_up'], 1_468],
    [['--to', '2026-11-01'], 0, ['top_up'], 1_000],
    [['--from', '2026-11-05'], 1_468, [], 1_468],
    [['--to', '2026-10-31'], 0, [], 0],
  ])(
    'of a period has its days from midnight to midnight, the last included: %s',
    async (args, opening, kinds, closing) => {
      const { data } = await run(...args);

      expect(data).toMatchObject({
        opening: { balance_quota: opening },
        entries: kinds.map((kind) => ({ kind })),
        closing: { balance_quota: closing },
      });
    },
  );

  it('opens where the period before it closed, wherever it is cut', async () => {
    const day = async (number: number) =>
      (await run('--from', `2026-11-0${number}`, '--to', `2026-11-0${number}`)).data as {
        opening: object;
        closing: object;
        entries: object[];
      };
    const days = await Promise.all([1, 2, 3, 4].map(day));

    for (const [index, { opening }] of days.entries()) {
      expect(opening).toEqual(days[index - 1]?.closing ?? { balance_quota: 0, held_quota: 0 });
    }
    expect(days.flatMap(({ entries }) => entries)).toHaveLength(6);
  });

  it('is a table for spreadsheets, in which no text is taken for a formula', async () => {
    const { lines } = await run('--csv');

    expect(lines).toHaveLength(7);
    expect(lines[0]).toBe('id,created_at,kind,task_id,quota,balance_after,held_after,note');
    expect(lines[2]).toMatch(
      new RegExp(`^entry_[0-9a-f]{32},2026-11-02T23:59:59\\.999Z,hold,${taskId},50,1000,50,$`),
    );
    expect(lines[6]).toMatch(/,top_up,,500,1468,0,"'=HYPERLINK\(""x""\), ""bonus"""$/);
  });

  it('is readable for a person, opening and closing balance first and last', async () => {
    const { lines } = await run('--from', '2026-11-02', '--to', '2026-11-02');

    expect([lines[0], lines.at(-1)]).toEqual([
      'opening balance 1000, held 0',
      'closing balance 970, held 0; 3 entries, hold 50, charge 30, release 20',
    ]);
  });

  it('is refused when the entries do not lead to what they say', async () => {
    const other = await openTestDatabase();
    const { id } = await anAccount(other.database, { quota: 10 });
    await other.database.pool.query(
      'ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_append_only',
    );
    await other.database.pool.query('UPDATE ledger_entry SET balance_after = 11');

    await expect(createLedgerReads(other.database).statement({ accountId: id })).rejects.toThrow(
      'lead to balance 10 and held 0, the last one says 11 and 0',
    );
    await other.close();
  });
});
