import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import { createRetention, createTaskReads, type Retention } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { violations } from './books.ts';
import { storiesOf, type Stories } from './stories.ts';

let test: TestDatabase;
let stories: Stories;
let retention: Retention;
const opened: TestDatabase[] = [];
beforeEach(async () => {
  test = await openTestDatabase();
  opened.push(test);
  const { id: accountId } = await anAccount(test.database);
  stories = storiesOf(test.database, accountId);
  retention = createRetention(test.database);
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

const succeededAgo = async (interval: string, retentionDays = 30): Promise<Task> => {
  const task = await stories.succeeded(5, { retentionDays });
  await test.database.pool.query(
    'UPDATE task SET completed_at = now() - $2::interval WHERE id = $1',
    [task.id, interval],
  );
  return task;
};
const read = (task: Task): Promise<Task | undefined> =>
  createTaskReads(test.database).find(task.id);

describe('the retention time of a video', () => {
  it.each([
    ['29 days 23:59:50', 30, false],
    ['30 days 00:00:10', 30, true],
    ['23:59:50', 1, false],
    ['24:00:10', 1, true],
  ])('after %s of %i days is over: %s', async (interval, retentionDays, isOver) => {
    const task = await succeededAgo(interval, retentionDays);

    await expect(retention.purgeDue(10)).resolves.toEqual(isOver ? [task.id] : []);

    expect((await read(task))?.mediaPurgedAt).toEqual(isOver ? expect.any(Date) : null);
    expect((await createTaskReads(test.database).findMedia(task.id, 'content'))?.purgedAt).toEqual(
      isOver ? expect.any(Date) : null,
    );
    await expect(violations(test.database, 3_600 * 24 * 365)).resolves.toEqual([]);
  });

  it('ends for the oldest first, so many tasks at a time', async () => {
    const [middle, newest, oldest] = [
      await succeededAgo('32 days'),
      await succeededAgo('31 days'),
      await succeededAgo('33 days'),
    ];

    await expect(retention.purgeDue(2).then((ids) => ids.sort())).resolves.toEqual(
      [middle.id, oldest.id].sort(),
    );
    await expect(retention.purgeDue(2)).resolves.toEqual([newest.id]);
    await expect(retention.purgeDue(2)).resolves.toEqual([]);
  });

  it('ends once when replicas look at the same moment', async () => {
    const tasks = await Promise.all(Array.from({ length: 20 }, () => succeededAgo('40 days')));

    const taken = await Promise.all(Array.from({ length: 6 }, () => retention.purgeDue(7)));

    const rest = await retention.purgeDue(100);
    expect([...taken.flat(), ...rest].sort()).toEqual(tasks.map(({ id }) => id).sort());
  });

  it('leaves what never was a video alone', async () => {
    const failed = await stories.ended('failed');
    await test.database.pool.query(
      `UPDATE task SET completed_at = now() - interval '90 days' WHERE id = $1`,
      [failed.id],
    );

    await expect(retention.purgeDue(10)).resolves.toEqual([]);
  });

  it('leaves files to be removed until it is noted that they are', async () => {
    const task = await succeededAgo('31 days');
    await expect(retention.findPurged({ limit: 10 })).resolves.toEqual([]);
    await retention.purgeDue(10);
    const file = {
      taskId: task.id,
      variant: 'content',
      storageKey: `videos/${task.id}.mp4`,
    } as const;

    await expect(retention.findPurged({ limit: 10 })).resolves.toEqual([
      { ...file, purgedAt: expect.any(Date) },
    ]);
    await retention.noteRemoved(file);
    await expect(retention.findPurged({ limit: 10 })).resolves.toEqual([]);
  });
});

describe('files whose retention time is over', () => {
  it('are found in one order, page by page, also when they were taken out of service in the same moment', async () => {
    for (let made = 0; made < 5; made += 1) await succeededAgo('40 days');
    await retention.purgeDue(10);
    const all = await retention.findPurged({ limit: 10 });
    expect(all).toHaveLength(5);

    const paged = [];
    for (
      let [page] = [await retention.findPurged({ limit: 2 })];
      page.length > 0;
      page = await retention.findPurged({ limit: 2, after: page.at(-1) })
    ) {
      paged.push(...page);
    }

    expect(paged).toEqual(all);
  });
});

describe('a file that no row names', () => {
  const keyOf = (taskId: string, epoch: number): string => `videos/${taskId}-${epoch}.mp4`;
  const storedAs = (task: Task, key: string): Promise<unknown> =>
    test.database.pool.query('UPDATE media SET storage_key = $2 WHERE task_id = $1', [
      task.id,
      key,
    ]);

  it('is an orphan when its task is over or unknown, and not while it may still become a video', async () => {
    const [succeeded, running, late] = [
      await stories.succeeded(5),
      await stories.running(),
      await stories.ended('expired'),
    ];
    await storedAs(succeeded, keyOf(succeeded.id, 7));
    const unknown = newId('task');
    const keys = [
      keyOf(succeeded.id, 7),
      keyOf(succeeded.id, 6),
      keyOf(running.id, 3),
      keyOf(late.id, 3),
      keyOf(unknown, 1),
      `frames/${succeeded.id}-6-0123456789ab`,
      `inputs/${succeeded.id}-0`,
      `inputs/${running.id}-0-0123456789ab`,
    ];

    await expect(retention.findOrphans(keys)).resolves.toEqual([
      { key: keyOf(succeeded.id, 6), isOfKnownTask: true },
      { key: keyOf(unknown, 1), isOfKnownTask: false },
      { key: `frames/${succeeded.id}-6-0123456789ab`, isOfKnownTask: true },
      { key: `inputs/${succeeded.id}-0`, isOfKnownTask: true },
    ]);
  });

  it('is none when its key names no task', async () => {
    await expect(
      retention.findOrphans(['videos/other.mp4', 'assets/asset_1', 'videos/video_short-1.mp4', '']),
    ).resolves.toEqual([]);
  });

  it('is not the file of a video that is purged and not removed yet, but is it afterwards', async () => {
    const task = await succeededAgo('31 days');
    await storedAs(task, keyOf(task.id, 7));
    await retention.purgeDue(10);
    await expect(retention.findOrphans([keyOf(task.id, 7)])).resolves.toEqual([]);

    await retention.noteRemoved({ taskId: task.id, variant: 'content' });

    await expect(retention.findOrphans([keyOf(task.id, 7)])).resolves.toEqual([
      { key: keyOf(task.id, 7), isOfKnownTask: true },
    ]);
  });
});
