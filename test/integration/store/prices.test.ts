import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewTask, Task, TaskPrice } from '@gateway/contracts';
import { chargeOf, termsOf, type PriceFacts, type QuotaRules } from '@gateway/domain';
import { createHolds, createTaskCreation, createTaskMoves, createTaskReads } from '@gateway/store';
import { aNewTask, anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { entriesOf, violations } from './books.ts';
import { aResult, contentOf, storiesOf, won } from './stories.ts';

const rules: QuotaRules = { outputSecond: 10, reference: { image: 7 }, minimum: 40 };
const facts: PriceFacts = {
  resolution: '480p',
  seconds: 5,
  audio: false,
  inputSeconds: { video: 0, audio: 0 },
  references: { image: 2, video: 0, audio: 0 },
  factors: [],
};

function priceOf(changed: QuotaRules = rules): TaskPrice {
  const { terms, quota } = termsOf(changed, facts);
  return { secondQuota: 10, reservedSeconds: 5, maxQuota: quota, terms };
}

let test: TestDatabase;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());
beforeEach(async () => {
  accountId = (await anAccount(test.database, { quota: 1_000 })).id;
});
afterEach(async () => {
  expect(await violations(test.database)).toEqual([]);
});

const running = (price: TaskPrice): Promise<Task> =>
  storiesOf(test.database, accountId).running({ price });

async function succeed(task: Task, seconds: number): Promise<Task> {
  const { terms } = task.price;
  if (terms === undefined) throw new Error('the test task has no terms');
  return won(
    await createTaskMoves(test.database).move(task, 'stored', {
      changes: {
        step: 'done',
        result: aResult,
        billed: { seconds, ...chargeOf(terms, seconds) },
      },
      media: [contentOf(task)],
    }),
  );
}

describe('a task whose price is more than seconds', () => {
  it('has the terms of its hold, however it is read', async () => {
    const task = await running(priceOf());

    expect(task.price).toEqual({ ...priceOf(), maxQuota: 64 });
    const read = await createTaskReads(test.database).find(task.id);
    expect(read?.price).toEqual(task.price);
  });

  it.each([
    [5, 64],
    [3, 44],
    [1, 40],
  ])('is charged for %d seconds what its terms say, %d', async (seconds, quota) => {
    const task = await succeed(await running(priceOf()), seconds);

    await createHolds(test.database).settle(task.id);

    expect(task.billed).toMatchObject({ seconds, quota });
    expect(task.billed?.items?.reduce((sum, item) => sum + item.quota, 0)).toBe(quota);
    const read = await createTaskReads(test.database).find(task.id);
    expect(read?.billed).toEqual(task.billed);
    expect(await entriesOf(test.database, accountId)).toMatchObject([
      { kind: 'top_up' },
      { kind: 'hold', quota: 64 },
      { kind: 'charge', quota },
      ...(quota === 64 ? [] : [{ kind: 'release', quota: 64 - quota }]),
    ]);
  });

  it('costs nothing when it fails', async () => {
    const task = await storiesOf(test.database, accountId).ended('failed', { price: priceOf() });

    await createHolds(test.database).settle(task.id);

    expect(task.billed).toEqual({ seconds: 0, quota: 0 });
  });
});

const statements: Readonly<Record<string, (draft: NewTask) => Promise<unknown>>> = {
  'by itself': (draft) => createTaskCreation(test.database).insertTask(draft, undefined),
  'with a key': (draft) =>
    createTaskCreation(test.database).insertTask(draft, {
      accountId,
      key: 'order-7',
      bodyHash: new Uint8Array(32),
    }),
  'in a batch': async (draft) =>
    (await createTaskCreation(test.database).insertTasks(accountId, [draft]))[0],
};

describe.each(Object.entries(statements))('a task that is inserted %s', (_how, insert) => {
  it('takes the price from its hold, whatever the configuration says by then', async () => {
    const draft = aNewTask(accountId, { price: priceOf({ ...rules, reference: { image: 9 } }) });
    const held = priceOf();
    await createHolds(test.database).take(accountId, [
      {
        task_id: draft.id,
        account_id: accountId,
        quota: held.maxQuota,
        seconds: 5,
        second_quota: 10,
        ...(held.terms && { price: held.terms }),
      },
    ]);

    expect(await insert(draft)).toMatchObject({ price: held });
  });
});

describe('the price of a hold', () => {
  it('is never changed', async () => {
    const task = await running(priceOf());

    await expect(
      test.database.pool.query(
        `UPDATE hold SET price = jsonb_set(price, '{rules,minimum}', '41') WHERE task_id = $1`,
        [task.id],
      ),
    ).rejects.toThrow('rows of hold are never changed');
  });

  it('is that of its task', async () => {
    const task = await running(priceOf());

    await expect(
      test.database.pool.query(
        `UPDATE task SET price = jsonb_set(price, '{rules,minimum}', '41') WHERE id = $1`,
        [task.id],
      ),
    ).rejects.toThrow('does not cost what is held for it');
  });
});
