import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewTask, Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createHolds,
  createTaskCreation,
  createTaskReads,
  type IdempotencyClaim,
  type TaskCreation,
} from '@gateway/store';
import { aNewTask, anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aHoldRequest, inTurn, morePools, violations } from './books.ts';
import { won } from './stories.ts';

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

const bodyHash = (body: string): Uint8Array => createHash('sha256').update(body).digest();
const aClaim = (overrides: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  accountId,
  key: 'order-7',
  bodyHash: bodyHash('a balloon'),
  ...overrides,
});

/** Holds and inserts under this key, as the API does with the task that the key stands for. */
async function create(
  claim: IdempotencyClaim | undefined,
  taskId: string,
): Promise<Task | undefined> {
  const draft: NewTask = aNewTask(accountId, { id: taskId });
  await createHolds(test.database).take(accountId, [aHoldRequest(accountId, { taskId })]);
  const task = await creation.insertTask(draft, claim);
  return task === undefined ? undefined : won(task);
}

async function ageKey({ key }: IdempotencyClaim, age: string): Promise<void> {
  await test.database.pool.query(
    'UPDATE idempotency_key SET created_at = now() - $3::interval WHERE account_id = $1 AND key = $2',
    [accountId, key, age],
  );
}

const keysOf = async (): Promise<unknown[]> =>
  (
    await test.database.pool.query(
      'SELECT key, task_id, created FROM idempotency_key WHERE account_id = $1',
      [accountId],
    )
  ).rows as unknown[];

describe('an idempotency key', () => {
  it('stands for the proposed task the first time, and for the same task ever after', async () => {
    const [first, second] = [newId('task'), newId('task')];

    await expect(creation.claimKey(aClaim(), first)).resolves.toEqual({
      taskId: first,
      sameBody: true,
      created: false,
    });
    await expect(creation.claimKey(aClaim(), second)).resolves.toEqual({
      taskId: first,
      sameBody: true,
      created: false,
    });
    await create(aClaim(), first);
    await expect(creation.claimKey(aClaim(), second)).resolves.toEqual({
      taskId: first,
      sameBody: true,
      created: true,
    });
  });

  it('tells that it came with another body', async () => {
    const taskId = newId('task');
    await creation.claimKey(aClaim(), taskId);

    await expect(
      creation.claimKey(aClaim({ bodyHash: bodyHash('a cat') }), newId('task')),
    ).resolves.toEqual({ taskId, sameBody: false, created: false });

    await expect(creation.claimKey(aClaim(), newId('task'))).resolves.toEqual({
      taskId,
      sameBody: true,
      created: false,
    });
  });

  it('is another one in another account', async () => {
    const other = await anAccount(test.database);
    const [mine, theirs] = [newId('task'), newId('task')];
    await creation.claimKey(aClaim(), mine);

    await expect(creation.claimKey(aClaim({ accountId: other.id }), theirs)).resolves.toEqual({
      taskId: theirs,
      sameBody: true,
      created: false,
    });
  });

  it('stands for one task among fifty claims at once, from several replicas', async () => {
    const replicas = morePools(test.url, 3);
    const stores = replicas.databases.map(createTaskCreation);

    const claimed = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        inTurn(stores, index).claimKey(aClaim(), newId('task')),
      ),
    );
    await replicas.close();

    expect(new Set(claimed.map((claim) => claim.taskId)).size).toBe(1);
    expect(claimed.every((claim) => claim.sameBody)).toBe(true);
  });

  it('makes one task of fifty whole creations at once', async () => {
    const created = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { taskId } = await creation.claimKey(aClaim(), newId('task'));
        const task = await create(aClaim(), taskId);
        return task ?? createTaskReads(test.database).find(taskId);
      }),
    );

    expect(new Set(created.map((task) => task?.id)).size).toBe(1);
    const { rows } = await test.database.pool.query('SELECT id FROM task WHERE account_id = $1', [
      accountId,
    ]);
    expect(rows).toEqual([{ id: created[0]!.id }]);
    await expect(violations(test.database)).resolves.toEqual([]);
  });
});

describe('an idempotency key after a day', () => {
  it('still stands for its task just before', async () => {
    const taskId = newId('task');
    await creation.claimKey(aClaim(), taskId);
    await ageKey(aClaim(), '23 hours 59 minutes');

    await expect(
      creation.claimKey(aClaim({ bodyHash: bodyHash('a cat') }), newId('task')),
    ).resolves.toEqual({ taskId, sameBody: false, created: false });
  });

  it('is free for another task and another body', async () => {
    const [old, fresh] = [newId('task'), newId('task')];
    await creation.claimKey(aClaim(), old);
    await create(aClaim(), old);
    await ageKey(aClaim(), '24 hours 1 second');
    const otherBody = aClaim({ bodyHash: bodyHash('a cat') });

    await expect(creation.claimKey(otherBody, fresh)).resolves.toEqual({
      taskId: fresh,
      sameBody: true,
      created: false,
    });

    // And a key that was not completed in its second life can be dropped again.
    await expect(keysOf()).resolves.toEqual([{ key: 'order-7', task_id: fresh, created: false }]);
    await expect(create(otherBody, fresh)).resolves.toMatchObject({ id: fresh });
    await expect(creation.claimKey(otherBody, newId('task'))).resolves.toEqual({
      taskId: fresh,
      sameBody: true,
      created: true,
    });
  });

  it('goes to one of many that find it stale at once', async () => {
    await creation.claimKey(aClaim(), newId('task'));
    await ageKey(aClaim(), '25 hours');

    const claimed = await Promise.all(
      Array.from({ length: 20 }, () => creation.claimKey(aClaim(), newId('task'))),
    );

    expect(new Set(claimed.map((claim) => claim.taskId)).size).toBe(1);
  });

  it('is purged, and no younger one is', async () => {
    await creation.claimKey(aClaim({ key: 'old' }), newId('task'));
    await creation.claimKey(aClaim({ key: 'young' }), newId('task'));
    await ageKey(aClaim({ key: 'old' }), '25 hours');
    await ageKey(aClaim({ key: 'young' }), '23 hours');

    await expect(creation.purgeKeys()).resolves.toBe(1);

    await expect(keysOf()).resolves.toMatchObject([{ key: 'young' }]);
  });
});

describe('dropping an idempotency key', () => {
  it('lets a repeated request make another task', async () => {
    const [refused, next] = [newId('task'), newId('task')];
    await creation.claimKey(aClaim(), refused);

    await creation.dropKey(aClaim(), refused);

    await expect(keysOf()).resolves.toEqual([]);
    await expect(creation.claimKey(aClaim({ bodyHash: bodyHash('a cat') }), next)).resolves.toEqual(
      { taskId: next, sameBody: true, created: false },
    );
  });

  it('does not drop one whose task was created', async () => {
    const taskId = newId('task');
    await creation.claimKey(aClaim(), taskId);
    await create(aClaim(), taskId);

    await creation.dropKey(aClaim(), taskId);

    await expect(creation.claimKey(aClaim(), newId('task'))).resolves.toEqual({
      taskId,
      sameBody: true,
      created: true,
    });
  });

  it('does not drop one that stands for another task by now', async () => {
    const taskId = newId('task');
    await creation.claimKey(aClaim(), taskId);

    await creation.dropKey(aClaim(), newId('task'));

    await expect(creation.claimKey(aClaim(), newId('task'))).resolves.toEqual({
      taskId,
      sameBody: true,
      created: false,
    });
  });
});

describe('inserting a task under an idempotency key', () => {
  it('marks the key as used up', async () => {
    const taskId = newId('task');
    await creation.claimKey(aClaim(), taskId);

    await expect(create(aClaim(), taskId)).resolves.toMatchObject({ id: taskId });

    await expect(keysOf()).resolves.toEqual([{ key: 'order-7', task_id: taskId, created: true }]);
  });

  it('writes the key again that a parallel request has dropped', async () => {
    const taskId = newId('task');
    await creation.claimKey(aClaim(), taskId);
    await creation.dropKey(aClaim(), taskId);

    await expect(create(aClaim(), taskId)).resolves.toMatchObject({ id: taskId });

    await expect(creation.claimKey(aClaim(), newId('task'))).resolves.toEqual({
      taskId,
      sameBody: true,
      created: true,
    });
  });

  it('is refused when the key stands for another task, and leaves nothing but the hold', async () => {
    const [dropped, owner] = [newId('task'), newId('task')];
    await creation.claimKey(aClaim(), dropped);
    await creation.dropKey(aClaim(), dropped);
    await creation.claimKey(aClaim(), owner);

    await expect(create(aClaim(), dropped)).resolves.toBeUndefined();

    await expect(createTaskReads(test.database).find(dropped)).resolves.toBeUndefined();
    await expect(keysOf()).resolves.toEqual([{ key: 'order-7', task_id: owner, created: false }]);
  });

  it('leaves the key unused when there is no open hold', async () => {
    const taskId = newId('task');
    await creation.claimKey(aClaim(), taskId);

    await expect(
      creation.insertTask(aNewTask(accountId, { id: taskId }), aClaim()),
    ).resolves.toBeUndefined();

    await expect(keysOf()).resolves.toEqual([{ key: 'order-7', task_id: taskId, created: false }]);
  });
});
