import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewTask, TaskPrice } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createHolds,
  createTaskCreation,
  type IdempotencyClaim,
  type InsertedTask,
  type TaskCreation,
} from '@gateway/store';
import {
  aNewTask,
  anAccount,
  aQueuedTask,
  openTestDatabase,
  type TestDatabase,
} from '@gateway/testing';
import { aHoldRequest, violations } from './books.ts';

let test: TestDatabase;
let creation: TaskCreation;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  creation = createTaskCreation(test.database);
});
afterAll(() => test.close());
beforeEach(async () => {
  accountId = (await anAccount(test.database)).id;
});

const claim = (): IdempotencyClaim => ({
  accountId,
  key: 'order-7',
  bodyHash: new Uint8Array(32),
});

/** The same task with an asset of the account among its references. */
async function withAsset(draft: NewTask): Promise<NewTask> {
  const assetId = newId('asset');
  await test.database.pool.query(
    `INSERT INTO asset SELECT (jsonb_populate_record(NULL::asset, $1)).*`,
    [
      {
        id: assetId,
        account_id: draft.accountId,
        state: 'ready',
        kind: 'image',
        content_type: 'image/png',
        storage_key: `assets/${assetId}`,
        size_bytes: 1,
        reserved_bytes: 0,
        sha256: 'x',
        created_at: new Date(),
      },
    ],
  );
  const source = {
    type: 'asset' as const,
    assetId,
    key: `assets/${assetId}`,
    mediaType: 'image/png',
    sizeBytes: 1,
    sha256: 'x',
  };
  const references = [{ kind: 'image' as const, role: 'first_frame' as const, source }];
  return { ...draft, request: { ...draft.request, references } };
}

/** Every statement that inserts a task. */
const statements: Readonly<Record<string, (draft: NewTask) => Promise<InsertedTask>>> = {
  'by itself': (draft) => creation.insertTask(draft, undefined),
  'with a key': (draft) => creation.insertTask(draft, claim()),
  'with assets': async (draft) => creation.insertTask(await withAsset(draft), undefined),
  'with a key and assets': async (draft) => creation.insertTask(await withAsset(draft), claim()),
  'in a batch': async (draft) => {
    const [, , outcome] = await creation.insertTasks(draft.accountId, [
      await anotherHeld(20),
      await anotherHeld(5),
      draft,
    ]);
    return outcome;
  },
};

const priceOf = (secondQuota: number, reservedSeconds = 5): TaskPrice => ({
  secondQuota,
  reservedSeconds,
  maxQuota: secondQuota * reservedSeconds,
});

/** A task whose hold was taken at 10 a second, while the configuration says otherwise since. */
async function held(price: TaskPrice, holder = accountId): Promise<NewTask> {
  const draft = aNewTask(accountId, { price });
  await createHolds(test.database).take(holder, [aHoldRequest(holder, { taskId: draft.id })]);
  return draft;
}

async function anotherHeld(secondQuota: number): Promise<NewTask> {
  const draft = aNewTask(accountId, { price: priceOf(secondQuota) });
  await createHolds(test.database).take(accountId, [
    aHoldRequest(accountId, { taskId: draft.id, secondQuota }),
  ]);
  return draft;
}

describe.each(Object.entries(statements))('a task that is inserted %s', (_how, insert) => {
  it.each([
    ['went up', 22],
    ['went down', 4],
    ['became free', 0],
  ])(
    'costs what its hold says when the price %s since, and is billed so',
    async (_what, secondQuota) => {
      const task = await insert(await held(priceOf(secondQuota)));

      expect(task).toMatchObject({ price: priceOf(10) });
      await expect(violations(test.database)).resolves.toEqual([]);
    },
  );

  it('is refused when its hold is for other seconds', async () => {
    await expect(insert(await held(priceOf(10, 6)))).resolves.toBeUndefined();
    await expect(insert(await held(priceOf(10, 4)))).resolves.toBeUndefined();
  });

  it('is refused when its hold is of another account', async () => {
    const { id: stranger } = await anAccount(test.database);

    await expect(insert(await held(priceOf(10), stranger))).resolves.toBeUndefined();
  });
});

describe('the database', () => {
  const otherAccount = `account_id = (SELECT id FROM account WHERE id <> '$account' LIMIT 1)`;
  const change = async (sql: string): Promise<unknown> => {
    const { id } = await aQueuedTask(test.database, accountId);
    return test.database.pool.query(sql.replace('$account', accountId).replace('$task', id));
  };

  it.each(['second_quota = 11, quota = 55', 'seconds = 6, quota = 60', otherAccount])(
    'never lets the terms of a hold become %s',
    async (set) => {
      await expect(change(`UPDATE hold SET ${set} WHERE task_id = '$task'`)).rejects.toThrow(
        'rows of hold are never changed',
      );
    },
  );

  it.each([
    'second_quota = 11, max_quota = 55',
    'reserved_seconds = 6, max_quota = 60',
    otherAccount,
  ])('never lets a task say %s when its hold does not', async (set) => {
    await expect(change(`UPDATE task SET ${set} WHERE id = '$task'`)).rejects.toThrow(
      'does not cost what is held for it',
    );
  });

  it('never lets a task be inserted that does not cost what is held for it', async () => {
    const { id } = await held(priceOf(10));

    await expect(
      change(
        `INSERT INTO task SELECT (jsonb_populate_record(t, '{"id":"${id}","second_quota":20,"max_quota":100}')).* FROM task t WHERE id = '$task'`,
      ),
    ).rejects.toThrow(`task ${id} does not cost what is held for it`);
  });
});
