import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StoredMedia, Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createTaskMoves,
  createTaskReads,
  createWork,
  type TaskReads,
  type Work,
} from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase, withPlace } from '@gateway/testing';
import { aResult, contentOf, storiesOf, won, type Stories } from './stories.ts';

let test: TestDatabase;
let reads: TaskReads;
let work: Work;
let stories: Stories;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  reads = createTaskReads(test.database);
  work = createWork(test.database);
  accountId = (await anAccount(test.database, { quota: 1_000_000 })).id;
  stories = storiesOf(test.database, accountId);
});
afterAll(() => test.close());

describe('reading a task', () => {
  it('returns what the last write returned', async () => {
    for (const task of [
      await stories.queued(),
      await stories.running(),
      await stories.succeeded(4),
      await stories.ended('expired'),
    ]) {
      await expect(reads.find(task.id)).resolves.toEqual(task);
      await expect(reads.findForAccount(task.id, accountId)).resolves.toEqual(task);
    }
  });

  it('returns nothing for a task that does not exist', async () => {
    await expect(reads.find(newId('task'))).resolves.toBeUndefined();
    await expect(reads.findForAccount(newId('task'), accountId)).resolves.toBeUndefined();
  });

  it('returns nothing for the task of another account', async () => {
    const task = await stories.queued();

    await expect(
      reads.findForAccount(task.id, (await anAccount(test.database)).id),
    ).resolves.toBeUndefined();
  });
});

describe('finding a file of a task', () => {
  it('returns the file of the requested kind', async () => {
    const running = await stories.running();
    const lastFrame: StoredMedia = {
      variant: 'last-frame',
      storageKey: 'frames/1.jpg',
      contentType: 'image/jpeg',
      sizeBytes: 3_000_000_000,
      sha256: 'c'.repeat(64),
    };
    const task = won(
      await createTaskMoves(test.database).move(running, 'stored', {
        changes: { step: 'done', result: aResult, billed: { seconds: 5, quota: 50 } },
        media: [contentOf(running), lastFrame],
      }),
    );

    await expect(reads.findMedia(task.id, 'content')).resolves.toEqual({
      ...contentOf(task),
      createdAt: expect.any(Date) as unknown,
      purgedAt: null,
    });
    await expect(reads.findMedia(task.id, 'last-frame')).resolves.toMatchObject(lastFrame);
  });

  it('tells a missing file from a missing task', async () => {
    const task = await stories.succeeded(5);

    await expect(reads.findMedia(task.id, 'last-frame')).resolves.toBeNull();
    await expect(reads.findMedia(newId('task'), 'content')).resolves.toBeUndefined();
  });

  it('tells when a file was purged', async () => {
    const task = await stories.succeeded(5);
    await test.database.pool.query(
      `UPDATE media SET purged_at = '2030-01-01T00:00:00Z' WHERE task_id = $1`,
      [task.id],
    );

    await expect(reads.findMedia(task.id, 'content')).resolves.toMatchObject({
      purgedAt: new Date('2030-01-01T00:00:00Z'),
    });
  });
});

describe('what is due', () => {
  const moved = async (task: Task, interval: string): Promise<void> => {
    await test.database.pool.query(
      'UPDATE task SET completed_at = started_at + $2::interval WHERE id = $1',
      [task.id, interval],
    );
  };

  it('is every task that is not over and does not wait in the queue, in pages and in order', async () => {
    const own = await openTestDatabase();
    const lives = storiesOf(own.database, (await anAccount(own.database)).id);
    const waiting = await lives.queued();
    const copied = won(
      await createTaskMoves(own.database).stay(await lives.running(), {
        step: 'ingest',
        vendorOutput: { videoUrl: 'https://files.example/v.mp4' },
      }),
    );
    const due = [
      copied,
      await withPlace(own.database, await lives.queued()),
      await lives.submitting(),
      await lives.running(),
      await lives.ended('expired'),
    ]
      .map(({ id }) => ({ id, isFreshAtIngest: id === copied.id }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    await lives.succeeded(5);
    await lives.ended('failed');
    const ownWork = createWork(own.database);

    await expect(ownWork.unfinishedTasks('', 100)).resolves.toEqual(due);
    await expect(ownWork.unfinishedTasks('', 3)).resolves.toEqual(due.slice(0, 3));
    await expect(ownWork.unfinishedTasks(due[2]!.id, 3)).resolves.toEqual(due.slice(3));
    expect(due.map(({ id }) => id)).not.toContain(waiting.id);
    await own.close();
  });

  it('is for the vendor’s list every task that is polled at this address without trouble, in the order of the ids', async () => {
    const own = await openTestDatabase();
    const lives = storiesOf(own.database, (await anAccount(own.database)).id);
    const moves = createTaskMoves(own.database);
    const polled: { id: string; vendorTaskId: string }[] = [];
    let vendor = { provider: '', baseUrl: '' };
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const { id, vendor: its } = won(
        await moves.move(await lives.submitting(), 'accepted', {
          changes: { step: 'poll', vendorTaskId: name },
        }),
      );
      polled.push({ id, vendorTaskId: name });
      vendor = { provider: its.provider, baseUrl: its.baseUrl };
    }
    polled.sort((one, other) => (one.id < other.id ? -1 : 1));
    await lives.queued();
    await lives.submitting();
    await lives.ended('expired');
    await lives.succeeded(5);
    won(await moves.stay(await lives.running(), { step: 'poll', stepFailures: 1 }));
    won(
      await moves.stay(await lives.running(), {
        step: 'ingest',
        vendorOutput: { videoUrl: 'https://files.example/v.mp4' },
      }),
    );
    const { polledTasks } = createWork(own.database);

    await expect(polledTasks(vendor, { after: '', skip: 0, limit: 100 })).resolves.toEqual({
      tasks: polled,
      next: undefined,
    });
    await expect(polledTasks(vendor, { after: '', skip: 0, limit: 2 })).resolves.toEqual({
      tasks: polled.slice(0, 2),
      next: polled[1]!.id,
    });
    await expect(polledTasks(vendor, { after: polled[1]!.id, skip: 1, limit: 2 })).resolves.toEqual(
      { tasks: polled.slice(3), next: polled[4]!.id },
    );
    await expect(
      polledTasks(vendor, { after: polled[4]!.id, skip: 0, limit: 2 }),
    ).resolves.toMatchObject({ tasks: [] });
    await expect(
      polledTasks({ ...vendor, baseUrl: 'http://elsewhere' }, { after: '', skip: 0, limit: 2 }),
    ).resolves.toEqual({ tasks: [], next: undefined });
    await expect(
      polledTasks({ ...vendor, provider: 'another' }, { after: '', skip: 0, limit: 2 }),
    ).resolves.toEqual({ tasks: [], next: undefined });
    await own.close();
  });

  it('is whoever waits in the queue beyond its deadline', async () => {
    const own = await openTestDatabase();
    const lives = storiesOf(own.database, (await anAccount(own.database)).id);
    const [late] = [await lives.queued(), await lives.queued(), await lives.submitting()];
    await own.database.pool.query(
      `UPDATE task SET expires_at = now() - interval '1 s' WHERE id = $1 OR step = 'submitting'`,
      [late.id],
    );

    await expect(createWork(own.database).overdueInQueue(10)).resolves.toEqual([late.id]);
    await own.close();
  });

  it('counts the tasks of a provider that are with the vendor', async () => {
    const own = await openTestDatabase();
    const lives = storiesOf(own.database, (await anAccount(own.database)).id);
    await Promise.all([
      lives.queued(),
      lives.submitting(),
      lives.running(),
      lives.succeeded(5),
      lives.ended('expired'),
    ]);

    await expect(createWork(own.database).countAtVendor('sandbox')).resolves.toBe(3);
    await expect(createWork(own.database).countAtVendor('other')).resolves.toBe(0);
    await own.close();
  });

  it('takes as usual the median of the newest fifty successes of the model', async () => {
    const model = 'model-with-history';
    const old = await stories.succeeded(5, { model });
    await moved(old, '1 day');
    for (const seconds of [
      ...Array.from({ length: 25 }, () => 30),
      ...Array.from({ length: 25 }, () => 50),
    ]) {
      await moved(await stories.succeeded(5, { model }), `${seconds} seconds`);
    }
    await moved(await stories.ended('failed', { model }), '1 day');
    await moved(await stories.succeeded(5, { model: 'another' }), '1 day');

    await expect(work.usualDurationMs(model)).resolves.toBe(40_000);
  });

  it('knows no usual duration before the first success', async () => {
    await stories.running({ model: 'brand-new' });

    await expect(work.usualDurationMs('brand-new')).resolves.toBeUndefined();
  });
});
