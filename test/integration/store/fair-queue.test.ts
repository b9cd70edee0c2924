import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createDatabase,
  createHolds,
  createTaskCreation,
  createTaskLists,
  createTaskMoves,
  type InsertedTask,
  type QueuePosition,
  type TaskCreation,
  type TaskMoves,
} from '@gateway/store';
import { aNewTask, anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { inTurn, morePools, violations } from './books.ts';

let test: TestDatabase;
let moves: TaskMoves;
beforeAll(async () => {
  test = await openTestDatabase();
  moves = createTaskMoves(test.database);
});
afterAll(() => test.close());

let providers = 0;
const aProvider = (): string => `vendor-${(providers += 1)}`;

/** Accounts in the order in which they take turns. */
async function accounts(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.push((await anAccount(test.database, { quota: 0 })).id);
  }
  return ids.sort();
}

/** Tasks that wait at this provider, oldest first. */
async function waiting(provider: string, accountId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('task')).sort();
  const { pool } = test.database;
  await pool.query(
    `INSERT INTO hold (task_id, account_id, quota, seconds, second_quota) SELECT id, $2, 0, 5, 0 FROM unnest($1::text[]) AS t(id)`,
    [ids, accountId],
  );
  await pool.query(
    `INSERT INTO task (id, account_id, key_id, request_id, model, status, step, request, provider, provider_kind, base_url, credential_id, upstream_model, second_quota, reserved_seconds, max_quota, expires_at, retention_days)
     SELECT id, $2, 'k', 'r', 'm', 'queued', 'submit', $4::jsonb, $3, 'ark', 'http://127.0.0.1:9', 'c', 'u', 0, 5, 0, now() + interval '1 hour', 30 FROM unnest($1::text[]) AS t(id)`,
    [ids, accountId, provider, JSON.stringify(aNewTask(accountId).request)],
  );
  await pool.query(
    `INSERT INTO task_event (task_id, sequence, status) SELECT id, 1, 'queued' FROM unnest($1::text[]) AS t(id)`,
    [ids],
  );
  return ids;
}

async function finish(taskId: string): Promise<void> {
  await test.database.pool.query(
    `UPDATE task SET status = 'failed', step = 'done', failure_code = 'vendor_error', failure_message = '', completed_at = now(), billed_seconds = 0, billed_quota = 0 WHERE id = $1`,
    [taskId],
  );
}

/**
 * Turns at a vendor that takes `slots` tasks at once: whenever all are taken the oldest one ends.
 */
async function turns(
  provider: string,
  { slots, count }: { slots: number; count: number },
): Promise<string[]> {
  const order: string[] = [];
  const busy: string[] = [];
  while (order.length < count) {
    const admitted = await moves.admit(provider, { maxConcurrent: slots, most: 50 });
    order.push(...admitted);
    busy.push(...admitted);
    await finish(busy.shift()!);
  }
  return order;
}

describe('the queue before a vendor', () => {
  it.each([1, 3])(
    'goes round the accounts, each in its own order, however many tasks one of them has (%i slots)',
    async (slots) => {
      const provider = aProvider();
      const [a, b, c] = (await accounts(3)) as [string, string, string];
      const [ofA, ofB, ofC] = [
        await waiting(provider, a, 1_000),
        await waiting(provider, b, 5),
        await waiting(provider, c, 1),
      ] as [string[], string[], string[]];

      const order = await turns(provider, { slots, count: 1_006 });

      expect(order).toEqual([
        ofA[0],
        ofB[0],
        ofC[0],
        ofA[1],
        ofB[1],
        ofA[2],
        ofB[2],
        ofA[3],
        ofB[3],
        ofA[4],
        ofB[4],
        ...ofA.slice(5),
      ]);
    },
  );

  it('lets a newcomer wait one turn behind an account with many tasks, whichever comes first in the round', async () => {
    const provider = aProvider();
    const [first, crowd, last] = (await accounts(3)) as [string, string, string];
    const many = await waiting(provider, crowd, 50);
    const before = await turns(provider, { slots: 1, count: 10 });
    const [one] = await waiting(provider, first, 1);
    const [other] = await waiting(provider, last, 1);

    expect(before).toEqual(many.slice(0, 10));
    expect(await turns(provider, { slots: 1, count: 4 })).toEqual([other, one, many[10], many[11]]);
  });

  it('remembers whose turn was last when it was empty in between', async () => {
    const provider = aProvider();
    const [a, b] = (await accounts(2)) as [string, string];
    await waiting(provider, a, 1);
    await turns(provider, { slots: 1, count: 1 });
    await moves.admit(provider, { maxConcurrent: 1, most: 1 });
    const [again] = await waiting(provider, a, 1);
    const [other] = await waiting(provider, b, 1);

    expect(await turns(provider, { slots: 1, count: 2 })).toEqual([other, again]);
  });

  it('passes over accounts that are paused, and comes back to them when they are not', async () => {
    const provider = aProvider();
    const [a, b, c] = (await accounts(3)) as [string, string, string];
    const [ofA, ofB, ofC] = [
      await waiting(provider, a, 3),
      await waiting(provider, b, 2),
      await waiting(provider, c, 1),
    ] as [string[], string[], string[]];

    await expect(
      moves.admit(provider, { maxConcurrent: 10, most: 10, paused: [a, c] }),
    ).resolves.toEqual(ofB);
    await expect(
      moves.admit(provider, { maxConcurrent: 10, most: 10, paused: [a, b, c] }),
    ).resolves.toEqual([]);
    await expect(moves.admit(provider, { maxConcurrent: 10, most: 10 })).resolves.toEqual([
      ofC[0],
      ...ofA,
    ]);
  });

  it('gives an account on trial one slot, for the task that failed least often', async () => {
    const provider = aProvider();
    const [a, b] = (await accounts(2)) as [string, string];
    const [ofA, ofB] = [await waiting(provider, a, 3), await waiting(provider, b, 2)];
    await test.database.pool.query('UPDATE task SET step_failures = 1 WHERE id = ANY($1::text[])', [
      ofA.slice(0, 1),
    ]);

    await expect(
      moves.admit(provider, { maxConcurrent: 10, most: 10, onTrial: [a] }),
    ).resolves.toEqual([ofA[1], ...ofB]);
    await expect(
      moves.admit(provider, { maxConcurrent: 10, most: 1, isTrial: true }),
    ).resolves.toEqual([ofA[2]]);
  });

  it('is the same queue for all replicas: together they admit in its order, each task once', async () => {
    const provider = aProvider();
    const [a, b] = (await accounts(2)) as [string, string];
    const [ofA, ofB] = [await waiting(provider, a, 40), await waiting(provider, b, 10)];
    const replicas = morePools(test.url, 3);
    const stores = replicas.databases.map(createTaskMoves);

    const responses = await Promise.all(
      Array.from({ length: 20 }, (_unused, index) =>
        inTurn(stores, index).admit(provider, { maxConcurrent: 20, most: 3 }),
      ),
    );
    await replicas.close();

    expect(responses.flat().sort()).toEqual([...ofA.slice(0, 10), ...ofB].sort());
  });

  it('counts slots and active videos whatever is done to a task', async () => {
    await expect(violations(test.database)).resolves.not.toContainEqual(
      expect.objectContaining({ invariant: expect.stringMatching(/_are_counted$/) }),
    );
  });
});

describe('the position in the queue', () => {
  const positionsOf = (taskIds: readonly string[]): Promise<Map<string, QueuePosition>> =>
    createTaskLists(test.database).queuePositions(taskIds);

  it('is how many turns it takes until the task has its own', async () => {
    const provider = aProvider();
    const [a, b, c, d] = (await accounts(4)) as [string, string, string, string];
    for (const [account, count] of [
      [a, 12],
      [b, 3],
      [c, 1],
      [d, 6],
    ] as const) {
      await waiting(provider, account, count);
    }
    const start = await turns(provider, { slots: 1, count: 2 });
    const { rows } = await test.database.pool.query<{ id: string }>(
      `SELECT id FROM task WHERE provider = $1 AND admitted_at IS NULL`,
      [provider],
    );
    const told = await positionsOf(rows.map(({ id }) => id));

    const order = await turns(provider, { slots: 1, count: 20 });

    expect(start).toHaveLength(2);
    expect(order.map((id) => told.get(id))).toEqual(
      Array.from({ length: 20 }, (_unused, index) => index + 1),
    );
  });

  it('is not told of a task that does not wait, and far where counting would cost', async () => {
    const provider = aProvider();
    const [a] = (await accounts(1)) as [string];
    const ids = await waiting(provider, a, 1_002);
    const [admitted] = await moves.admit(provider, { maxConcurrent: 1, most: 1 });

    await expect(
      positionsOf([admitted!, newId('task'), ids[1_000]!, ids[1_001]!]),
    ).resolves.toEqual(
      new Map<string, QueuePosition>([
        [ids[1_000]!, 1_000],
        [ids[1_001]!, 'far'],
      ]),
    );
  });
});

describe('the active videos of an account', () => {
  it.each([1, 4])(
    'never exceed their limit, at forty creations at once over three replicas, %i to a statement, and a slot is free again when one ends',
    async (together) => {
      const { id } = await anAccount(test.database, { quota: 10_000 });
      const drafts = Array.from({ length: 40 }, () => aNewTask(id));
      await createHolds(test.database).take(
        id,
        drafts.map(({ id: task_id, price }) => ({
          task_id,
          account_id: id,
          quota: price.maxQuota,
          seconds: price.reservedSeconds,
          second_quota: price.secondQuota,
        })),
      );
      const replicas = morePools(test.url, 3);
      const stores = replicas.databases.map(createTaskCreation);

      const batches = Array.from({ length: drafts.length / together }, (_unused, index) =>
        drafts.slice(index * together, (index + 1) * together),
      );
      const insert = async (
        creation: TaskCreation,
        [first, ...others]: typeof drafts,
      ): Promise<InsertedTask[]> =>
        others.length === 0
          ? [await creation.insertTask(first!, undefined, 7)]
          : creation.insertTasks(id, [first!, ...others], 7);
      const responses = (
        await Promise.all(batches.map((batch, index) => insert(inTurn(stores, index), batch)))
      ).flat();
      await replicas.close();

      const created = responses.filter((response) => typeof response === 'object');
      expect([created.length, responses.filter((response) => response === 'full').length]).toEqual([
        7, 33,
      ]);
      await expect(createTaskCreation(test.database).countActive(id)).resolves.toBe(7);
      const refused = drafts.find((draft) => !created.some((task) => task.id === draft.id))!;
      await finish(created[0]!.id);
      await expect(
        createTaskCreation(test.database).insertTask(refused, undefined, 7),
      ).resolves.toMatchObject({ id: refused.id });
    },
  );

  it('hold up no repeated creation while its task is being moved, nor the move', async () => {
    const { id } = await anAccount(test.database, { quota: 50 });
    const draft = aNewTask(id);
    await createHolds(test.database).take(id, [
      { task_id: draft.id, account_id: id, quota: 50, seconds: 5, second_quota: 10 },
    ]);
    await createTaskCreation(test.database).insertTask(draft, undefined);
    const mover = await test.database.pool.connect();
    await mover.query('BEGIN');
    await mover.query(`UPDATE task SET epoch = epoch + 1, admitted_at = now() WHERE id = $1`, [
      draft.id,
    ]);

    const url = new URL(test.url);
    url.searchParams.set('options', '-c lock_timeout=2000');
    const impatient = createDatabase({
      url: url.href,
      applicationName: 'impatient',
      poolSize: 1,
      onError: () => undefined,
    });

    const repeated = await createTaskCreation(impatient).insertTask(draft, undefined).catch(String);
    await mover.query('ROLLBACK');
    mover.release();
    await impatient.part.stop();

    expect(repeated).toBeUndefined();
  });

  it('leaves nothing of a task that was refused, and its hold can be given back, once, unless the task came to be', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const holds = createHolds(test.database);
    const [one, two] = [aNewTask(id), aNewTask(id, { callbackUrl: 'https://receiver.example/' })];
    await holds.take(
      id,
      [one, two].map(({ id: task_id }) => ({
        task_id,
        account_id: id,
        quota: 50,
        seconds: 5,
        second_quota: 10,
      })),
    );
    const creation = createTaskCreation(test.database);
    await creation.insertTask(one, undefined, 1);

    await expect(
      creation.insertTask(two, { accountId: id, key: 'k', bodyHash: Buffer.from('x') }, 1),
    ).resolves.toBe('full');

    for (const table of ['task_event', 'callback', 'callback_push', 'idempotency_key']) {
      await expect(
        test.database.pool.query(`SELECT 1 FROM ${table} WHERE task_id = $1`, [two.id]),
      ).resolves.toMatchObject({ rowCount: 0 });
    }
    await expect(Promise.all([holds.release(one.id), holds.release(two.id)])).resolves.toEqual([
      false,
      true,
    ]);
    await expect(holds.release(two.id)).resolves.toBe(false);
  });
});
