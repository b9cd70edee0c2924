import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anAccount, eventually, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { storiesOf, type Stories } from '../store/stories.ts';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

/** The command, until it is interrupted. */
function follow(...args: string[]) {
  const parsed = parse(['events', ...args]);
  if (parsed.kind === 'help') throw new Error('this is a help page');
  const controller = new AbortController();
  const printed: string[] = [];
  const ends: Promise<CommandResult> = parsed.run({
    ...portsOf({
      settings: { DATABASE_URL: test.url, CALLBACK_SECRET_KEYS: '', QUEUE_PREFIX: 'x' },
      database: test.database,
      loadConfiguration: () => {
        throw new Error('not asked for');
      },
    }),
    print: (line) => printed.push(line),
    untilInterrupted: (work) => work(controller.signal),
  });
  return {
    printed,
    linesOf: (id: string) => printed.filter((line) => line.includes(id)),
    end: () => {
      controller.abort();
      return ends;
    },
  };
}

const stories = async () => storiesOf(test.database, (await anAccount(test.database)).id);
/** Whoever begins to follow reads the newest position first: what comes before that is not shown. */
async function hasBegun(printed: readonly string[], own: Stories): Promise<void> {
  await eventually(
    async () => {
      await own.queued();
      expect(printed).not.toEqual([]);
    },
    { everyMs: 300 },
  );
}

describe('the admin command that follows events', () => {
  it('prints a line for each status of any task, once, and what is committed late', async () => {
    const { printed, linesOf, end } = follow();
    const own = await stories();
    await hasBegun(printed, own);
    const { id } = await own.ended('failed');
    const late = await own.queued();
    const client = await test.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO task_event (task_id, sequence, status) VALUES ($1, 2, 'running')`,
        [late.id],
      );
      const newer = await own.queued();
      await eventually(() => {
        expect(linesOf(newer.id)).toHaveLength(1);
      });
      await client.query('COMMIT');
    } finally {
      client.release();
    }

    await eventually(() => {
      expect(linesOf(late.id)).toHaveLength(2);
    });
    expect(linesOf(id).map((line) => line.split('  ')[2]?.trim())).toEqual([
      'queued',
      'running',
      'failed',
    ]);
    expect(linesOf(id).at(-1)).toMatch(/^20\d\d-.*vendor task .*: /);
    expect(await end()).toMatchObject({ ok: true, isPrinted: true });
    expect(new Set(printed).size).toBe(printed.length);
  });

  it('prints those of one account as JSON', async () => {
    const [own, other] = [await stories(), await stories()];
    const { accountId } = await own.queued();
    const { printed, linesOf, end } = follow('--json', '--account', accountId);
    await hasBegun(printed, own);
    const foreign = await other.queued();
    const { id } = await own.succeeded(3);
    await eventually(() => {
      expect(linesOf(id)).toHaveLength(3);
    });
    await end();

    expect(linesOf(foreign.id)).toEqual([]);
    expect(JSON.parse(linesOf(id).at(-1) ?? '')).toMatchObject({
      sequence: 3,
      status: 'succeeded',
      task: { id, accountId, status: 'succeeded' },
    });
    expect(printed.map((line) => JSON.parse(line) as unknown)).toHaveLength(printed.length);
  });

  it('refuses minutes that are none, and an account that is not there', async () => {
    await expect(follow('--minutes', '0').end()).rejects.toMatchObject({ name: 'UsageError' });
    await expect(follow('--account', 'acct_x').end()).rejects.toMatchObject({ name: 'UsageError' });
  });
});
