import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createAccounts,
  createAgentBudgets,
  createTaskCreation,
  type AgentBudgets,
} from '@gateway/store';
import { anAccount, aQueuedTask, openTestDatabase, type TestDatabase } from '@gateway/testing';

let test: TestDatabase;
let budgets: AgentBudgets;
let budget: { keyId: string; name: string };
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  budgets = createAgentBudgets(test.database);
});
afterAll(() => test.close());
beforeEach(async () => {
  accountId = (await anAccount(test.database)).id;
  const keyId = newId('key');
  await createAccounts(test.database).createKey({
    id: keyId,
    accountId,
    name: 'agent',
    hash: new Uint8Array(randomBytes(32)),
    prefix: 'sk',
    scopes: [],
    models: [],
    expiresAt: null,
  });
  budget = { keyId, name: 'default' };
});

const most = 100;
const useOf = (creation = 'boat') => ({ ...budget, creation });
const used = async (): Promise<number> => (await budgets.open(budget)).usedQuota;
const openUses = async () => (await budgets.open(budget)).uses;
const age = (how: string, creation = 'boat') =>
  test.database.pool.query(
    `UPDATE agent_budget_use SET created_at = now() - $1::interval WHERE key_id = $2 AND creation = $3`,
    [how, budget.keyId, creation],
  );
/** What the gateway knows of the key of a creation. */
const claim = async (creation = 'boat'): Promise<string> => {
  const claimed = { accountId, key: creation, bodyHash: Buffer.alloc(32) };
  return (await createTaskCreation(test.database).claimKey(claimed, newId('task'))).taskId;
};
const keep = (taskId: string) =>
  test.database.pool.query('UPDATE idempotency_key SET created = true WHERE task_id = $1', [
    taskId,
  ]);

describe('quota that is set aside for a creation', () => {
  it('is told of to the one call that has set it aside', async () => {
    const together = await Promise.all(
      Array.from({ length: 8 }, () => budgets.hold(useOf(), 60, most)),
    );

    expect(together.filter((outcome) => outcome === 'held')).toHaveLength(1);
    expect(together.filter((outcome) => outcome === 'known')).toHaveLength(7);
    expect(await budgets.hold(useOf('another'), 60, most)).toBe('exceeded');
    expect(await used()).toBe(60);
  });

  it('is what was settled, for a creation that is repeated', async () => {
    await budgets.hold(useOf(), 60, most);
    await budgets.made(useOf(), { taskId: 'video_1', quota: 60 }, most);
    await budgets.settle(budget, 'video_1', 40);

    expect(await budgets.hold(useOf(), 60, most)).toBe('known');
    expect(await budgets.made(useOf(), { taskId: 'video_1', quota: 60 }, most)).toBe(true);
    await budgets.settle(budget, 'video_1', 40);
    await budgets.release(useOf());

    expect(await used()).toBe(40);
  });

  it.each([
    ['22 hours 59 minutes', 'known'],
    ['23 hours 1 minute', 'too_old'],
  ])('after %s under the same key is %s', async (how, outcome) => {
    await budgets.hold(useOf(), 60, most);
    await budgets.made(useOf(), { taskId: 'video_1', quota: 60 }, most);
    await budgets.settle(budget, 'video_1', 60);
    await age(how);

    expect(await budgets.hold(useOf(), 60, most)).toBe(outcome);
    expect(await used()).toBe(60);
  });

  it('is set aside anew once the gateway has surely forgotten the key', async () => {
    await budgets.hold(useOf(), 40, most);
    await budgets.made(useOf(), { taskId: 'video_1', quota: 40 }, most);
    await budgets.settle(budget, 'video_1', 40);
    await age('25 hours 1 minute');
    await budgets.hold(useOf('another'), 10, most);

    expect(await budgets.hold(useOf(), 40, most)).toBe('held');
    expect(await used()).toBe(90);
  });

  it('rises with the price of what was made, which says whether that is too much', async () => {
    await budgets.hold(useOf(), 60, most);
    await budgets.hold(useOf('small'), 10, most);

    expect(await budgets.made(useOf(), { taskId: 'video_1', quota: 95 }, most)).toBe(false);
    // What was made within its hold is not to blame.
    expect(await budgets.made(useOf('small'), { taskId: 'video_2', quota: 10 }, most)).toBe(true);
    expect(await used()).toBe(105);
  });

  it('counts also when it was given up while the creation was under way', async () => {
    await budgets.hold(useOf(), 60, most);
    await budgets.release(useOf());

    expect(await budgets.made(useOf(), { taskId: 'video_1', quota: 60 }, most)).toBe(true);
    expect(await used()).toBe(60);
    expect(await openUses()).toEqual([{ creation: 'boat', taskId: 'video_1' }]);
  });
});

describe('a creation that was cut off', () => {
  it('is its task, where its key stands for one', async () => {
    const taskId = await claim();
    await keep(taskId);
    await budgets.hold(useOf(), 60, most);

    expect(await openUses()).toEqual([{ creation: 'boat', taskId: undefined }]);
    await age('3 minutes');
    expect(await openUses()).toEqual([{ creation: 'boat', taskId }]);
    expect(await used()).toBe(60);
  });

  it.each([
    ['nobody knows', () => Promise.resolve()],
    ['was claimed for a task that was never made', claim],
  ])('made nothing, where its key %s', async (_title, known) => {
    await known();
    await budgets.hold(useOf(), 60, most);
    expect(await used()).toBe(60);

    await age('3 minutes');

    expect(await budgets.open(budget)).toEqual({ usedQuota: 0, uses: [] });
  });

  it('is not another account’s task of the same key', async () => {
    const stranger = (await anAccount(test.database)).id;
    const claimed = { accountId: stranger, key: 'boat', bodyHash: Buffer.alloc(32) };
    await keep((await createTaskCreation(test.database).claimKey(claimed, newId('task'))).taskId);
    await budgets.hold(useOf(), 60, most);
    await age('3 minutes');

    expect(await budgets.open(budget)).toEqual({ usedQuota: 0, uses: [] });
  });

  it.each([
    ['23 hours 30 minutes', [{ creation: 'boat', taskId: undefined }]],
    ['25 hours 1 minute', []],
  ])('counts as spent, when nobody can tell any more: after %s', async (how, uses) => {
    await budgets.hold(useOf(), 60, most);
    await age(how);

    expect(await budgets.open(budget)).toEqual({ usedQuota: 60, uses });
  });
});

describe('a task that is gone', () => {
  const made = async (charged: number | null): Promise<string> => {
    const { id } = await aQueuedTask(test.database, accountId);
    await test.database.pool.query(
      `UPDATE hold SET state = CASE WHEN $2::bigint IS NULL THEN 'open' ELSE 'closed' END, charged_quota = $2,
         closed_at = CASE WHEN $2::bigint IS NULL THEN NULL ELSE now() END WHERE task_id = $1`,
      [id, charged],
    );
    await budgets.hold(useOf(), 60, most);
    await budgets.made(useOf(), { taskId: id, quota: 60 }, most);
    await budgets.settleGone(budget, id);
    return id;
  };

  it.each([
    [0, 0],
    [25, 25],
    [null, 60],
  ])('that was charged %j has cost %d', async (charged, cost) => {
    await made(charged);

    expect(await budgets.open(budget)).toEqual({ usedQuota: cost, uses: [] });
  });

  it('is settled once', async () => {
    const id = await made(25);
    await budgets.settleGone(budget, id);
    await budgets.settle(budget, id, 0);

    expect(await used()).toBe(25);
  });
});
