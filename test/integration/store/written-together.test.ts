import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { createEndpoints, createHolds } from '@gateway/store';
import { anAccount, aQueuedTask, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aHoldRequest } from './books.ts';

let test: TestDatabase;
/** In the order of their ids. */
let accountIds: readonly [string, string];
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());
beforeEach(async () => {
  const ids = [(await anAccount(test.database)).id, (await anAccount(test.database)).id].toSorted();
  accountIds = [ids[0]!, ids[1]!];
});

interface Copy {
  readonly id?: string;
  readonly account_id: string;
  readonly [column: string]: unknown;
}

/**
 * Inserts copies of a queued task, of several accounts, in one statement; resolves with their ids.
 * Each has a hold, which says what it costs unless the test says otherwise.
 */
async function insertCopies(
  copies: readonly Copy[],
  secondQuotaOf: (copy: Copy) => number = () => 10,
): Promise<readonly string[]> {
  const { id } = await aQueuedTask(test.database, (await anAccount(test.database)).id);
  const given = copies.map((copy) => ({ id: newId('task'), ...copy }));
  const { take } = createHolds(test.database);
  for (const copy of given) {
    const { account_id: holder, id: taskId } = copy;
    await take(holder, [aHoldRequest(holder, { taskId, secondQuota: secondQuotaOf(copy) })]);
  }
  await test.database.pool.query(
    `INSERT INTO task SELECT (jsonb_populate_record(t, given)).* FROM task t, jsonb_array_elements($2::jsonb) AS given WHERE t.id = $1`,
    [id, JSON.stringify(given)],
  );
  return given.map((copy) => copy.id);
}

const active = async (accountId: string): Promise<number> => {
  const { rows } = await test.database.pool.query<{ active: number }>(
    'SELECT active FROM account_videos WHERE account_id = $1',
    [accountId],
  );
  return rows[0]!.active;
};

const slotsTaken = async (provider: string): Promise<number> => {
  const { rows } = await test.database.pool.query<{ taken: number }>(
    'SELECT coalesce(sum(places_taken), 0)::int AS taken FROM vendor_line WHERE provider = $1',
    [provider],
  );
  return rows[0]!.taken;
};

describe('tasks that one statement inserts', () => {
  it('are counted for their accounts, and those with a slot at their providers', async () => {
    const [first, second] = accountIds;
    const [one, other] = [newId('usage'), newId('usage')];
    const running = { status: 'running', step: 'poll', admitted_at: new Date() };
    const over = { status: 'failed', step: 'done', completed_at: new Date(), failure_code: 'x' };
    await insertCopies([
      { account_id: second, provider: one, ...running },
      { account_id: first, provider: one },
      { account_id: second, provider: other, ...running },
      { account_id: second, provider: one, ...running },
      { account_id: first, provider: one, ...over, billed_seconds: 0, billed_quota: 0 },
    ]);

    expect(await Promise.all([active(first), active(second)])).toEqual([1, 3]);
    expect(await Promise.all([slotsTaken(one), slotsTaken(other)])).toEqual([2, 1]);

    // Further ones are added to what there is.
    await insertCopies([{ account_id: second, provider: one, ...running }]);
    expect([await active(second), await slotsTaken(one)]).toEqual([4, 3]);
  });

  it('are refused together where one of them does not cost what is held for it', async () => {
    const [accountId] = accountIds;
    const copies = ['a', 'b', 'c'].map((model) => ({ account_id: accountId, model }));
    await expect(insertCopies(copies, ({ model }) => (model === 'b' ? 7 : 10))).rejects.toThrow(
      /^task \w+ does not cost what is held for it$/,
    );
    expect(await active(accountId)).toBe(0);

    await insertCopies(copies);
    expect(await active(accountId)).toBe(3);
  });
});

describe('events that one statement writes', () => {
  it('are owed to the endpoints of each account that has some', async () => {
    const [without, having] = accountIds;
    const endpoints = createEndpoints(test.database);
    const ids = await Promise.all(
      (['/all', '/ended'] as const).map(async (path) => {
        const id = newId('endpoint');
        await endpoints.create(
          {
            id,
            accountId: having,
            url: `https://receiver.example${path}`,
            description: null,
            events: path === '/ended' ? ['failed'] : [],
          },
          9,
        );
        await endpoints.noteChallenge(id, { attemptClass: 'success', detail: null });
        return id;
      }),
    );
    const [silent, mine, hers] = await insertCopies([
      { account_id: without },
      { account_id: having },
      { account_id: having },
    ]);
    await test.database.pool.query(
      `INSERT INTO task_event (task_id, sequence, status, at) VALUES
         ($1, 2, 'running', now()), ($2, 2, 'running', now()), ($3, 2, 'running', now()), ($3, 3, 'failed', now())`,
      [silent, mine, hers],
    );

    const { rows } = await test.database.pool.query(
      `SELECT c.task_id, c.endpoint_id, c.settled_sequence AS settled, c.newest_sequence AS newest, array_agg(p.sequence || ' ' || p.status ORDER BY p.sequence) AS pushes
       FROM endpoint_callback c JOIN endpoint_push p USING (callback_id) WHERE c.task_id = ANY($1) GROUP BY c.callback_id`,
      [[silent, mine, hers]],
    );
    const [all, onlyEnded] = ids;
    expect(new Set(rows)).toEqual(
      new Set([
        { task_id: mine, endpoint_id: all, settled: 1, newest: 2, pushes: ['2 running'] },
        {
          task_id: hers,
          endpoint_id: all,
          settled: 1,
          newest: 3,
          pushes: ['2 running', '3 failed'],
        },
        { task_id: hers, endpoint_id: onlyEnded, settled: 2, newest: 3, pushes: ['3 failed'] },
      ]),
    );
  });
});
