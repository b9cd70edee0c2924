import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lowestIdAt } from '@gateway/domain';
import {
  createTaskEndings,
  createTaskLists,
  createTaskOverviews,
  type Database,
  type Page,
  type PageCursors,
} from '@gateway/store';
import { anAccount, aQueuedTask, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { inTransactionPastTriggers } from './past-triggers.ts';

const dayMs = 86_400_000;
const nowMs = Date.now();

/** Newest first: in the table, or in the archive, in turn; 400 days in all. */
const made = Array.from({ length: 9 }, (_, index) => ({
  daysAgo: 20 + index * 45,
  isArchived: index % 2 === 1,
  model: index % 3 === 0 ? 'other-model' : 'sandbox-video',
}));
const idOf = (daysAgo: number): string =>
  `${lowestIdAt('task', nowMs - daysAgo * dayMs)}${'0'.repeat(16)}`;

let test: TestDatabase;
let database: Database;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  ({ database } = test);
  accountId = (await anAccount(database)).id;
  const other = (await anAccount(database)).id;
  for (const { daysAgo, isArchived, model } of made) {
    await aTaskOf(accountId, { id: idOf(daysAgo), daysAgo, isArchived, model });
    await aTaskOf(other, { id: idOf(daysAgo + 1), daysAgo: daysAgo + 1, isArchived, model });
  }
});
afterAll(() => test.close());

/** Failed and settled, made so many days ago under this id. */
async function aTaskOf(
  owner: string,
  { id, daysAgo, isArchived, model }: (typeof made)[number] & { readonly id: string },
): Promise<void> {
  const task = await aQueuedTask(database, owner, { model });
  await createTaskEndings(database).cancelUnsubmitted(task.id, owner);
  const at = new Date(nowMs - daysAgo * dayMs);
  await inTransactionPastTriggers(database, async (client) => {
    for (const table of ['hold', 'task_event', 'task_try', 'ledger_entry']) {
      await client.query(`DELETE FROM ${table} WHERE task_id = $1`, [task.id]);
    }
    await client.query(
      'UPDATE task SET id = $2, created_at = $3, completed_at = $3 WHERE id = $1',
      [task.id, id, at],
    );
    if (!isArchived) return;
    await client.query(
      `INSERT INTO archived_task (task_id, account_id, key_id, model, status, created_at, completed_at, billed_seconds, billed_quota, held_quota, charged_quota, task, details)
       SELECT id, account_id, key_id, model, status, created_at, completed_at, 0, 0, 0, 0, to_jsonb(t), '{}' FROM task t WHERE id = $1`,
      [id],
    );
    await client.query('DELETE FROM task WHERE id = $1', [id]);
  });
}

type Read = (cursors: PageCursors) => Promise<Page<{ readonly id: string }>>;
const ofAccount =
  (more: object = {}): Read =>
  (cursors) =>
    createTaskLists(database).page({ accountId, ...more, ...cursors });
const ofOperator =
  (more: object = {}): Read =>
  (cursors) =>
    createTaskOverviews(database).page({ accountId, ...more, ...cursors });

/** Every page of that size, one after another, in the order of the list. */
async function paged(read: Read, limit: number, direction: 'after' | 'before'): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined = direction === 'before' ? lowestIdAt('task', 0) : undefined;
  for (;;) {
    const { items, hasMore } = await read({ limit, [direction]: cursor });
    const page = items.map(({ id }) => id);
    ids.push(...(direction === 'before' ? page.reverse() : page));
    cursor = page.at(-1);
    if (!hasMore) return direction === 'before' ? ids.reverse() : ids;
  }
}

const all = made.map(({ daysAgo }) => idOf(daysAgo));
const ofModel = made
  .filter(({ model }) => model === 'other-model')
  .map(({ daysAgo }) => idOf(daysAgo));
const hotOnly = made.filter(({ isArchived }) => !isArchived).map(({ daysAgo }) => idOf(daysAgo));

describe('a list that goes on into the archive', () => {
  const lists: readonly [string, () => Read, string[]][] = [
    ['of an account', () => ofAccount(), all],
    ['by model', () => ofAccount({ model: 'other-model' }), ofModel],
    ['by status', () => ofAccount({ status: 'cancelled' }), all],
    ['by a status that only live tasks have', () => ofAccount({ status: 'running' }), []],
    [
      'by time',
      () =>
        ofAccount({
          createdAfter: new Date(nowMs - 160 * dayMs),
          createdBefore: new Date(nowMs - 60 * dayMs),
        }),
      all.slice(1, 4),
    ],
    ['for operators, of an account', () => ofOperator(), all],
    ['for operators, by model', () => ofOperator({ model: 'other-model' }), ofModel],
    ['for operators, by provider: no further', () => ofOperator({ provider: 'sandbox' }), hotOnly],
    [
      'for operators, of all accounts by model: no further',
      () => ofOperator({ accountId: undefined, model: 'none' }),
      [],
    ],
  ];
  describe.each(lists)('%s', (_name, open, expected) => {
    it.each([
      [1, 'after'],
      [2, 'after'],
      [4, 'before'],
      [3, 'before'],
      [50, 'after'],
    ] as const)('has each task once, in pages of %i, %s one another', async (limit, direction) => {
      expect(await paged(open(), limit, direction)).toEqual(expected);
    });
  });

  it('has those of every account for operators', async () => {
    const ids = await paged(ofOperator({ accountId: undefined }), 5, 'after');

    expect(ids).toHaveLength(2 * all.length);
    expect(ids.filter((id) => all.includes(id))).toEqual(all);
  });

  it('shows an archived task as it was, and not once it is deleted', async () => {
    const id = all[1]!;
    const listed = async () =>
      (await createTaskLists(database).page({ accountId, limit: 50 })).items.find(
        (task) => task.id === id,
      );
    const overview = await createTaskOverviews(database).page({ accountId, limit: 2 });

    expect(await listed()).toMatchObject({ id, accountId, status: 'cancelled', step: 'done' });
    expect(overview.items[1]).toMatchObject({
      id,
      accountId,
      status: 'cancelled',
      deletedAt: null,
    });
    await createTaskEndings(database).markDeleted(id, accountId);
    expect(await listed()).toBeUndefined();
  });
});
