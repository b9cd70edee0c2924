import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewTask } from '@gateway/contracts';
import {
  createHolds,
  createTaskCreation,
  type InsertedTask,
  type TaskCreation,
} from '@gateway/store';
import { aNewTask, anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aHoldRequest, ageHold, violations } from './books.ts';
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

async function aHeldDraft(overrides: Partial<NewTask> = {}): Promise<NewTask> {
  const draft = aNewTask(accountId, overrides);
  await createHolds(test.database).take(accountId, [aHoldRequest(accountId, { taskId: draft.id })]);
  return draft;
}

/** Rows of a task in the tables that its creation writes. */
async function rowsOf(
  taskId: string,
): Promise<Record<'tasks' | 'events' | 'callbacks' | 'pushes', unknown[]>> {
  const rows = async (sql: string): Promise<unknown[]> =>
    (await test.database.pool.query(sql, [taskId])).rows as unknown[];
  return {
    tasks: await rows('SELECT id, status, step FROM task WHERE id = $1'),
    events: await rows('SELECT sequence, status FROM task_event WHERE task_id = $1'),
    callbacks: await rows(
      'SELECT state, stop_reason, failures, attempts FROM callback WHERE task_id = $1',
    ),
    pushes: await rows(
      'SELECT sequence, status, state, attempts FROM callback_push WHERE task_id = $1',
    ),
  };
}

const nothing = { tasks: [], events: [], callbacks: [], pushes: [] };

/** Both ways have to do the same with a single task. */
const ways: Readonly<Record<string, (draft: NewTask) => Promise<InsertedTask>>> = {
  'by itself': (draft) => creation.insertTask(draft, undefined),
  'in a batch': async (draft) => (await creation.insertTasks(accountId, [draft]))[0],
};

describe.each(Object.entries(ways))('inserting a task %s', (_way, insert) => {
  it('writes everything that the API knows of it, and returns it as it will be read', async () => {
    const draft = await aHeldDraft({
      callbackUrl: 'https://receiver.example/hook',
      retentionDays: 7,
      expiresAfterSeconds: 90,
      requestId: 'req_7',
      request: {
        prompt: 'ein “Ballon” 🎈',
        ratio: '9:16',
        duration: 5,
        resolution: '480p',
        watermark: true,
        seed: 4_294_967_295,
        generateAudio: true,
        returnLastFrame: true,
        metadata: { order: '7' },
        unsupported: ['seed'],
        references: [
          {
            kind: 'image',
            role: 'first_frame',
            source: {
              type: 'stored',
              key: 'references/a',
              mediaType: 'image/png',
              sizeBytes: 5,
              sha256: 'b'.repeat(64),
            },
          },
        ],
      },
    });

    const task = await insert(draft);

    const { keyId, expiresAfterSeconds, ...known } = draft;
    expect(task).toMatchObject({
      ...known,
      status: 'queued',
      step: 'submit',
      epoch: 1,
      eventSequence: 1,
      stepFailures: 0,
      billed: null,
      failure: null,
      result: null,
      vendorOutput: null,
      admittedAt: null,
      submittingAt: null,
      startedAt: null,
      completedAt: null,
      cancelRequestedAt: null,
      mediaPurgedAt: null,
    });
    const { expiresAt, createdAt } = won(task);
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(expiresAfterSeconds * 1000);
    expect(Math.abs(Date.now() - createdAt.getTime())).toBeLessThan(60_000);
    const { rows } = await test.database.pool.query('SELECT key_id FROM task WHERE id = $1', [
      draft.id,
    ]);
    expect(rows).toEqual([{ key_id: keyId }]);
  });

  it('writes the first event, and neither callback nor push without a callback address', async () => {
    const draft = await aHeldDraft();

    await insert(draft);

    await expect(rowsOf(draft.id)).resolves.toEqual({
      tasks: [{ id: draft.id, status: 'queued', step: 'submit' }],
      events: [{ sequence: 1, status: 'queued' }],
      callbacks: [],
      pushes: [],
    });
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('writes an unverified callback and its first pending push with a callback address', async () => {
    const draft = await aHeldDraft({ callbackUrl: 'https://receiver.example/hook' });

    await insert(draft);

    await expect(rowsOf(draft.id)).resolves.toMatchObject({
      events: [{ sequence: 1, status: 'queued' }],
      callbacks: [{ state: 'unverified', stop_reason: null, failures: 0, attempts: 0 }],
      pushes: [{ sequence: 1, status: 'queued', state: 'pending', attempts: 0 }],
    });
  });

  it('is refused without a hold, and leaves nothing', async () => {
    const draft = aNewTask(accountId, { callbackUrl: 'https://receiver.example/hook' });

    await expect(insert(draft)).resolves.toBeUndefined();

    await expect(rowsOf(draft.id)).resolves.toEqual(nothing);
  });

  it('is refused with a hold that was given back, and leaves nothing', async () => {
    const draft = await aHeldDraft({ callbackUrl: 'https://receiver.example/hook' });
    await ageHold(test.database, draft.id, 100);
    await createHolds(test.database).releaseOrphans(60);

    await expect(insert(draft)).resolves.toBeUndefined();

    await expect(rowsOf(draft.id)).resolves.toEqual(nothing);
  });

  it('happens once, at any number of attempts at once', async () => {
    const draft = await aHeldDraft({ callbackUrl: 'https://receiver.example/hook' });

    const responses = await Promise.all(Array.from({ length: 20 }, () => insert(draft)));

    expect(responses.filter((task) => task !== undefined)).toHaveLength(1);
    await expect(rowsOf(draft.id)).resolves.toMatchObject({
      tasks: [{}],
      events: [{}],
      callbacks: [{}],
      pushes: [{}],
    });
  });
});

describe('inserting several tasks of one account', () => {
  it('writes each with what belongs to it, and responds in the order of the requests', async () => {
    const [silent, loud, cold] = [
      await aHeldDraft(),
      await aHeldDraft({ callbackUrl: 'https://receiver.example/hook', expiresAfterSeconds: 90 }),
      aNewTask(accountId),
    ];

    const responses = await creation.insertTasks(accountId, [cold, loud, silent]);

    expect(responses).toMatchObject([
      undefined,
      { id: loud.id, callbackUrl: loud.callbackUrl },
      { id: silent.id, callbackUrl: null },
    ]);
    expect(
      [responses[1], responses[2]]
        .map((task) => won(task))
        .map(({ createdAt, expiresAt }) => expiresAt.getTime() - createdAt.getTime()),
    ).toEqual([90_000, silent.expiresAfterSeconds * 1_000]);
    await expect(
      Promise.all([silent, loud, cold].map(({ id }) => rowsOf(id))),
    ).resolves.toMatchObject([
      {
        tasks: [{ status: 'queued', step: 'submit' }],
        events: [{ sequence: 1 }],
        callbacks: [],
        pushes: [],
      },
      {
        tasks: [{ status: 'queued', step: 'submit' }],
        events: [{ sequence: 1 }],
        callbacks: [{}],
        pushes: [{ sequence: 1 }],
      },
      nothing,
    ]);
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('gives what room there is to the first of them that have a hold', async () => {
    const account = (await anAccount(test.database)).id;
    const drafts = Array.from({ length: 5 }, () => aNewTask(account));
    const [, ...held] = drafts;
    await createHolds(test.database).take(
      account,
      held.map(({ id }) => aHoldRequest(account, { taskId: id })),
    );
    await creation.insertTask(held[3]!, undefined);

    const responses = await creation.insertTasks(account, drafts.toReversed(), 3);

    const outcome = (response: InsertedTask): string =>
      typeof response === 'object' ? 'created' : (response ?? 'nothing');
    expect(responses.map(outcome).toReversed()).toEqual([
      'nothing',
      'created',
      'created',
      'full',
      'nothing',
    ]);
    await expect(creation.countActive(account)).resolves.toBe(3);
  });

  it('creates a task that is there twice once, as the first of them says', async () => {
    const account = (await anAccount(test.database)).id;
    const [twice, refused] = [
      aNewTask(account, { id: 'video_twice_1' }),
      aNewTask(account, { id: 'video_twice_2' }),
    ];
    await createHolds(test.database).take(
      account,
      [twice, refused].map(({ id }) => aHoldRequest(account, { taskId: id })),
    );
    const again = { ...twice, requestId: 'req_again' };

    const responses = await creation.insertTasks(
      account,
      [twice, refused, again, twice, refused],
      1,
    );

    expect(responses).toMatchObject([
      { id: twice.id, requestId: twice.requestId },
      'full',
      undefined,
      undefined,
      'full',
    ]);
    await expect(rowsOf(twice.id)).resolves.toMatchObject({ tasks: [{}], events: [{}] });
  });
});
