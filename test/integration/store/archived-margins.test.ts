import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDataKeeping, createMarginReads, createTaskEndings } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aTaskLongOver } from './long-ago.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

describe('the margin of archived tasks', () => {
  it('keeps what a video brought in when its customer deletes it there', async () => {
    const { database } = test;
    const { id: accountId } = await anAccount(database);
    const taskId = await aTaskLongOver(database, accountId);
    expect(await createDataKeeping(database).archiveTasks({ days: 100, limit: 10 })).toBe(1);

    expect(await createTaskEndings(database).markDeleted(taskId, accountId)).toBe('marked');

    const day = new Date(Date.now() - 200 * 86_400_000).toISOString().slice(0, 10);
    expect(await createMarginReads(database).ofPeriod({ from: day, to: day })).toMatchObject({
      rows: [{ provider: 'unknown', videos: 1, videosWithoutCost: 1, revenueQuota: 30 }],
    });
  });
});
