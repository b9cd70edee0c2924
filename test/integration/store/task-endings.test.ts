import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { taskFailure } from '@gateway/domain';
import { newId } from '@gateway/runtime';
import {
  createHolds,
  createTaskCreation,
  createTaskEndings,
  createTaskLists,
  createTaskMoves,
  createTaskReads,
  createUsageReads,
  createWork,
  type TaskEndings,
} from '@gateway/store';
import {
  anAccount,
  aNewTask,
  openTestDatabase,
  withPlace,
  type TestDatabase,
} from '@gateway/testing';
import { expectExactChain, holdOf, inTurn, morePools, violations } from './books.ts';
import { end, storiesOf, succeed, won, type Stories } from './stories.ts';

const callbackUrl = 'https://receiver.example/hook';

let test: TestDatabase;
let endings: TaskEndings;
let stories: Stories;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  endings = createTaskEndings(test.database);
});
afterAll(() => test.close());
beforeEach(async () => {
  accountId = (await anAccount(test.database, { quota: 100_000 })).id;
  stories = storiesOf(test.database, accountId);
});

const rows = async (sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
  (await test.database.pool.query<Record<string, unknown>>(sql, values)).rows;
const statusesOf = async (
  table: 'task_event' | 'callback_push',
  taskId: string,
): Promise<unknown[]> =>
  (await rows(`SELECT status FROM ${table} WHERE task_id = $1 ORDER BY sequence`, taskId)).map(
    ({ status }) => status,
  );
/**
 * Unfinished videos of the account, and slots taken at the provider of all these tasks, as they
 * are counted and as they are.
 */
async function counts(): Promise<{ active: unknown; slots: number }> {
  await expect(violations(test.database)).resolves.toEqual([]);
  const [videos] = await rows('SELECT active FROM account_videos WHERE account_id = $1', accountId);
  return {
    active: videos?.['active'],
    slots: await createWork(test.database).countAtVendor(aNewTask(accountId).vendor.provider),
  };
}
const settle = (taskId: string): Promise<boolean> => createHolds(test.database).settle(taskId);

describe('cancelling a task that no vendor was asked for', () => {
  it('ends it with its event, its push and a bill of nothing', async () => {
    const task = await stories.queued({ callbackUrl });

    const cancelled = won(await endings.cancelUnsubmitted(task.id, accountId));

    expect(cancelled).toMatchObject({
      status: 'cancelled',
      step: 'done',
      epoch: task.epoch + 1,
      eventSequence: 2,
      failure: taskFailure('cancelled'),
      billed: { seconds: 0, quota: 0 },
      startedAt: null,
    });
    expect(cancelled.completedAt).not.toBeNull();
    expect(await statusesOf('task_event', task.id)).toEqual(['queued', 'cancelled']);
    expect(await statusesOf('callback_push', task.id)).toEqual(['queued', 'cancelled']);
    await settle(task.id);
    await expect(holdOf(test.database, task.id)).resolves.toMatchObject({
      state: 'closed',
      chargedQuota: 0,
    });
    await expectExactChain(test.database, accountId);
  });

  it('leaves the queue, or gives back the slot that it was given, and makes room in its account', async () => {
    const [inLine, placed] = [
      await stories.queued(),
      await withPlace(test.database, await stories.queued()),
    ];
    const before = await counts();

    won(await endings.cancelUnsubmitted(inLine.id, accountId));
    expect(await counts()).toEqual({ active: 1, slots: before.slots });
    won(await endings.cancelUnsubmitted(placed.id, accountId));
    expect(await counts()).toEqual({ active: 0, slots: before.slots - 1 });

    await expect(createTaskLists(test.database).queuePositions([inLine.id])).resolves.toEqual(
      new Map(),
    );
    expect(before.active).toBe(2);
  });

  it('against turns that are given is exact: no slot is lost, and none goes to a cancelled task', async () => {
    const others = morePools(test.url, 3);
    const tasks = await Promise.all(
      Array.from({ length: 40 }, () =>
        stories.queued({ vendor: { ...aNewTask(accountId).vendor, provider: 'raced' } }),
      ),
    );
    const admit = (index: number): Promise<string[]> =>
      createTaskMoves(inTurn(others.databases, index)).admit('raced', {
        maxConcurrent: 25,
        most: 5,
      });

    await Promise.all(
      tasks.flatMap((task, index) => [
        admit(index),
        ...(index % 2 === 0
          ? [
              createTaskEndings(inTurn(others.databases, index + 1)).cancelUnsubmitted(
                task.id,
                accountId,
              ),
            ]
          : []),
      ]),
    );
    while ((await admit(0)).length > 0);
    await others.close();

    expect(await counts()).toMatchObject({ active: 20 });
    await expect(createWork(test.database).countAtVendor('raced')).resolves.toBe(20);
    expect(
      await rows(
        `SELECT status, count(*) FROM task WHERE provider = 'raced' GROUP BY 1 ORDER BY 1`,
      ),
    ).toEqual([
      { status: 'cancelled', count: 20 },
      { status: 'queued', count: 20 },
    ]);
  });

  it.each(['submitting', 'running'] as const)('leaves one that is %s as it is', async (state) => {
    const task = await stories[state]();

    await expect(endings.cancelUnsubmitted(task.id, accountId)).resolves.toBeUndefined();

    await expect(createTaskReads(test.database).find(task.id)).resolves.toEqual(task);
  });

  it('leaves another account’s task as it is', async () => {
    const task = await stories.queued();

    await expect(endings.cancelUnsubmitted(task.id, 'acct_other')).resolves.toBeUndefined();
    await expect(endings.requestCancel(task.id, 'acct_other')).resolves.toBeUndefined();
    await expect(endings.markDeleted(task.id, 'acct_other')).resolves.toBe('missing');

    await expect(createTaskReads(test.database).find(task.id)).resolves.toEqual(task);
  });

  it('against claims for submission from many connections is won by one side each, and never by both', async () => {
    const others = morePools(test.url, 3);
    const tasks = await Promise.all(
      Array.from({ length: 40 }, async () =>
        withPlace(test.database, await stories.queued({ callbackUrl })),
      ),
    );

    const outcomes = await Promise.all(
      tasks.flatMap((task, index) => {
        const database = inTurn(others.databases, index);
        const claim = async (): Promise<[string, string]> => [
          task.id,
          typeof (await createTaskMoves(database).claimSubmission(task)) === 'string'
            ? 'lost'
            : 'claimed',
        ];
        const cancel = async (): Promise<[string, string]> => [
          task.id,
          (await createTaskEndings(inTurn(others.databases, index + 1)).cancelUnsubmitted(
            task.id,
            accountId,
          )) === undefined
            ? 'lost'
            : 'cancelled',
        ];
        return index % 2 === 0 ? [claim(), cancel(), cancel()] : [cancel(), claim(), cancel()];
      }),
    );
    await others.close();

    const won = new Map<string, string[]>();
    for (const [taskId, outcome] of outcomes) {
      if (outcome !== 'lost') won.set(taskId, [...(won.get(taskId) ?? []), outcome]);
    }
    expect([...won.values()].map((winners) => winners.length)).toEqual(tasks.map(() => 1));
    for (const { id } of tasks) {
      expect(await statusesOf('task_event', id)).toEqual(
        won.get(id)![0] === 'cancelled' ? ['queued', 'cancelled'] : ['queued'],
      );
    }
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('against its expiry is won by one side, with one event after the first', async () => {
    const tasks = await Promise.all(
      Array.from({ length: 30 }, () => stories.queued({ callbackUrl })),
    );

    const outcomes = await Promise.all(
      tasks.flatMap((task) => [
        end(createTaskMoves(test.database), task, 'expired'),
        endings.cancelUnsubmitted(task.id, accountId),
      ]),
    );

    expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(tasks.length);
    for (const { id } of tasks) {
      const { status } = won(await createTaskReads(test.database).find(id));
      expect(await statusesOf('task_event', id)).toEqual(['queued', status]);
      expect(await statusesOf('callback_push', id)).toEqual(['queued', status]);
    }
  });
});

describe('a wish to cancel', () => {
  it.each(['submitting', 'running'] as const)(
    'is noted on a task that is %s, and what the worker has under way stays valid',
    async (state) => {
      const task = await stories[state]();

      const wished = won(await endings.requestCancel(task.id, accountId));

      expect(wished).toEqual({ ...task, cancelRequestedAt: expect.any(Date) as unknown });
      await expect(
        createTaskMoves(test.database).stay(task, { step: task.step }),
      ).resolves.toMatchObject({ cancelRequestedAt: wished.cancelRequestedAt });
      expect(await counts()).toMatchObject({ active: 1 });
    },
  );

  it('keeps its time when it is repeated', async () => {
    const task = await stories.running();
    const first = won(await endings.requestCancel(task.id, accountId));

    await expect(endings.requestCancel(task.id, accountId)).resolves.toEqual(first);
  });

  it('is taken back by the refusal, and by nothing else', async () => {
    const moves = createTaskMoves(test.database);
    const wished = won(await endings.requestCancel((await stories.running()).id, accountId));

    const later = won(await moves.stay(wished, { step: 'poll' }));
    const refused = won(await moves.stay(later, { step: 'poll', cancelRefused: true }));

    expect([later.cancelRequestedAt, refused.cancelRequestedAt]).toEqual([
      wished.cancelRequestedAt,
      null,
    ]);
  });

  it('comes too late for a video that is being stored, and for a task that is over', async () => {
    const running = await stories.running();
    won(
      await createTaskMoves(test.database).stay(running, {
        step: 'ingest',
        vendorOutput: { videoUrl: 'https://vendor.example/v.mp4' },
      }),
    );

    for (const task of [running, await stories.succeeded(5), await stories.ended('expired')]) {
      await expect(endings.requestCancel(task.id, accountId)).resolves.toBeUndefined();
    }
  });
});

describe('deleting a task', () => {
  it.each(['queued', 'running'] as const)('is refused while it is %s', async (state) => {
    const task = await stories[state]();

    await expect(endings.markDeleted(task.id, accountId)).resolves.toBe('live');
  });

  it('is put off while it is not settled, however many ask, and loses no charge', async () => {
    const task = await stories.succeeded(4);
    await expect(endings.markDeleted(task.id, accountId)).resolves.toBe('unsettled');

    const outcomes = await Promise.all([
      ...Array.from({ length: 10 }, () => endings.markDeleted(task.id, accountId)),
      settle(task.id),
      settle(task.id),
    ]);
    const last = await endings.markDeleted(task.id, accountId);

    expect([...outcomes, last].filter((outcome) => outcome === 'marked')).toHaveLength(1);
    await expect(holdOf(test.database, task.id)).resolves.toMatchObject({
      state: 'closed',
      chargedQuota: 40,
    });
  });

  it('hides the task from its customer at once, and its callback from the dispatcher', async () => {
    const reads = createTaskReads(test.database);
    const task = await stories.succeeded(4, { callbackUrl });
    await settle(task.id);

    await expect(endings.markDeleted(task.id, accountId)).resolves.toBe('marked');

    expect([
      await reads.find(task.id),
      await reads.findForAccount(task.id, accountId),
      await reads.findMedia(task.id, 'content'),
    ]).toEqual([undefined, undefined, undefined]);
    await expect(reads.findEvenDeleted(task.id)).resolves.toEqual(task);
    expect(await rows('SELECT 1 FROM callback WHERE task_id = $1', task.id)).toEqual([]);
    await expect(endings.markDeleted(task.id, accountId)).resolves.toBe('missing');
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('names its files, its stored references included, then leaves nothing but the books, and the books are right', async () => {
    const references = [
      {
        kind: 'image',
        role: 'first_frame',
        source: {
          type: 'stored',
          key: 'inputs/1-0',
          mediaType: 'image/png',
          sizeBytes: 4,
          sha256: 'a'.repeat(64),
        },
      },
      {
        kind: 'image',
        role: 'last_frame',
        source: { type: 'url', url: 'https://example.com/a.png' },
      },
    ] as const;
    const task = await stories.succeeded(4, {
      callbackUrl,
      request: { ...aNewTask(accountId).request, references },
    });
    const usage = createUsageReads(test.database);
    const today = new Date().toISOString().slice(0, 10);
    const question = { accountId, from: today, to: today } as const;
    await settle(task.id);
    const before = await usage.byDay(question);
    const counted = await counts();
    await endings.markDeleted(task.id, accountId);

    await expect(endings.findDeleted({ limit: 10, taskId: task.id })).resolves.toEqual([
      { taskId: task.id, storageKeys: [`videos/${task.id}.mp4`, 'inputs/1-0'] },
    ]);
    await expect(
      endings.findDeleted({ limit: 10, taskId: task.id, after: task.id }),
    ).resolves.toEqual([]);
    await endings.forget(task.id);
    await endings.forget(task.id);

    for (const table of ['task_event', 'media', 'callback', 'callback_push', 'callback_attempt']) {
      expect(await rows(`SELECT 1 FROM ${table} WHERE task_id = $1`, task.id)).toEqual([]);
    }
    await expect(createTaskReads(test.database).findEvenDeleted(task.id)).resolves.toBeUndefined();
    expect(
      await rows(
        'SELECT status, billed_seconds, billed_quota FROM deleted_task WHERE task_id = $1',
        task.id,
      ),
    ).toEqual([{ status: 'succeeded', billed_seconds: 4, billed_quota: 40 }]);
    expect(
      await rows(
        'SELECT task_deleted_at IS NOT NULL AS marked FROM hold WHERE task_id = $1',
        task.id,
      ),
    ).toEqual([{ marked: true }]);
    expect(before).toHaveLength(1);
    expect(counted.active).toBe(0);
    expect(await counts()).toEqual(counted);
    await expect(usage.byDay(question)).resolves.toEqual(before);
    await expect(violations(test.database)).resolves.toEqual([]);
    await expectExactChain(test.database, accountId);
    await expect(createHolds(test.database).releaseOrphans(0)).resolves.toEqual([]);
  });

  it('of an expired task that is watched at the vendor keeps its row until the watch ends', async () => {
    const expired = await stories.ended('expired');
    await settle(expired.id);
    await endings.markDeleted(expired.id, accountId);

    await endings.forget(expired.id);
    await expect(endings.findDeleted({ limit: 10, taskId: expired.id })).resolves.toEqual([]);
    await expect(createTaskReads(test.database).findEvenDeleted(expired.id)).resolves.toEqual(
      expired,
    );

    await createTaskMoves(test.database).closeLate(expired);
    await expect(endings.findDeleted({ limit: 10, taskId: expired.id })).resolves.toHaveLength(1);
  });

  it('never lets its idempotency key bring it back', async () => {
    const creation = createTaskCreation(test.database);
    const claim = { accountId, key: 'order-7', bodyHash: new Uint8Array(32) };
    const draft = aNewTask(accountId);
    await creation.claimKey(claim, draft.id);
    await createHolds(test.database).take(accountId, [
      { task_id: draft.id, account_id: accountId, quota: 50, seconds: 5, second_quota: 10 },
    ]);
    won(await creation.insertTask(draft, claim));
    won(await endings.cancelUnsubmitted(draft.id, accountId));
    await settle(draft.id);
    await endings.markDeleted(draft.id, accountId);

    for (const stage of ['marked', 'forgotten']) {
      if (stage === 'forgotten') await endings.forget(draft.id);
      await expect(creation.claimKey(claim, newId('task'))).resolves.toEqual({
        taskId: draft.id,
        sameBody: true,
        created: true,
      });
      await expect(creation.insertTask(draft, claim)).resolves.toBeUndefined();
    }
  });

  it('from many connections is done by one of them', async () => {
    const others = morePools(test.url, 3);
    const task = won(
      await succeed(createTaskMoves(test.database), await stories.running({ callbackUrl }), 5),
    );
    await settle(task.id);

    const outcomes = await Promise.all(
      Array.from({ length: 24 }, (_unused, index) =>
        createTaskEndings(inTurn(others.databases, index)).markDeleted(task.id, accountId),
      ),
    );
    await Promise.all(
      Array.from({ length: 6 }, (_unused, index) =>
        createTaskEndings(inTurn(others.databases, index)).forget(task.id),
      ),
    );
    await others.close();

    expect(outcomes.filter((outcome) => outcome === 'marked')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'missing')).toHaveLength(23);
    expect(await rows('SELECT 1 FROM deleted_task WHERE task_id = $1', task.id)).toHaveLength(1);
  });
});
