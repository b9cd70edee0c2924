import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewTask, Task } from '@gateway/contracts';
import { createTaskMoves, createTaskReads, createWork, type TaskMoves } from '@gateway/store';
import {
  aNewTask,
  anAccount,
  eventually,
  openTestDatabase,
  type TestDatabase,
  withPlace,
} from '@gateway/testing';
import { endWaitingSessions, expectSomebodyWaiting, inTurn, morePools } from './books.ts';
import { end, storiesOf, succeed, won, type Stories } from './stories.ts';

let test: TestDatabase;
let moves: TaskMoves;
let stories: Stories;
beforeAll(async () => {
  test = await openTestDatabase();
  moves = createTaskMoves(test.database);
  stories = storiesOf(test.database, (await anAccount(test.database, { quota: 1_000_000 })).id);
});
afterAll(() => test.close());

let providers = 0;
/** A provider that no other test uses. */
const aProvider = (): { readonly name: string; readonly of: Partial<NewTask> } => {
  providers += 1;
  const name = `provider-${providers}`;
  return { name, of: { vendor: { ...aNewTask('').vendor, provider: name } } };
};

const queuedTasks = (count: number, overrides: Partial<NewTask>): Promise<Task[]> =>
  Promise.all(Array.from({ length: count }, () => stories.queued(overrides)));

describe('admitting the tasks whose turn it is', () => {
  it('never lets more tasks be with a vendor than it takes, at thirty looks at once from several replicas', async () => {
    for (let round = 0; round < 3; round += 1) {
      const provider = aProvider();
      await queuedTasks(30, provider.of);
      const replicas = morePools(test.url, 3);
      const stores = replicas.databases.map(createTaskMoves);

      const responses = await Promise.all(
        Array.from({ length: 30 }, (_unused, index) =>
          inTurn(stores, index).admit(provider.name, { maxConcurrent: 7, most: 1 }),
        ),
      );
      await replicas.close();

      expect(new Set(responses.flat()).size).toBe(7);
      expect(responses.flat()).toHaveLength(7);
      await expect(createWork(test.database).countAtVendor(provider.name)).resolves.toBe(7);
    }
  });

  it.each(['submit', 'submitting', 'poll', 'late'] as const)(
    'counts a task in step `%s` that had its turn',
    async (step) => {
      const { name, of } = aProvider();
      if (step === 'submit') {
        won(
          await moves.stay(await withPlace(test.database, await stories.queued(of)), {
            step,
            stepFailures: 1,
          }),
        );
      } else if (step === 'submitting') await stories.submitting(of);
      else if (step === 'poll') await stories.running(of);
      else await stories.ended('expired', of);
      await stories.queued(of);

      await expect(moves.admit(name, { maxConcurrent: 1, most: 1 })).resolves.toEqual([]);
    },
  );

  it('finds room again when a task is over, its video is finished, its watch has ended, or it was cancelled in its place', async () => {
    const { name, of } = aProvider();
    const waiting = (await queuedTasks(5, of)).sort((one, other) => (one.id < other.id ? -1 : 1));
    const admitted = async (): Promise<Task> => {
      const [id] = await moves.admit(name, { maxConcurrent: 1, most: 5 });
      expect(id).toBe(waiting.shift()!.id);
      return (await createTaskReads(test.database).find(id!))!;
    };
    const running = async (): Promise<Task> =>
      won(
        await moves.move(won(await moves.claimSubmission(await admitted())), 'accepted', {
          changes: { step: 'poll' },
        }),
      );

    won(await succeed(moves, await running(), 5));
    won(await moves.stay(await running(), { step: 'ingest' }));
    await moves.closeLate(won(await end(moves, await running(), 'expired')));
    won(await end(moves, await admitted(), 'cancelled'));

    await admitted();
  });

  it('does not count the tasks of another provider', async () => {
    await stories.submitting(aProvider().of);
    const { name, of } = aProvider();
    const task = await stories.queued(of);

    await expect(moves.admit(name, { maxConcurrent: 1, most: 1 })).resolves.toEqual([task.id]);
  });

  it('waits for nobody who is ending a task in the queue, and takes the next', async () => {
    const { name, of } = aProvider();
    const [first, second] = (await queuedTasks(2, of)).sort((one, other) =>
      one.id < other.id ? -1 : 1,
    );
    const other = await test.database.pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM task WHERE id = $1 FOR UPDATE', [first!.id]);

    await expect(moves.admit(name, { maxConcurrent: 5, most: 1 })).resolves.toEqual([second!.id]);

    await other.query('ROLLBACK');
    other.release();
    await expect(moves.admit(name, { maxConcurrent: 5, most: 1 })).resolves.toEqual([first!.id]);
  });

  it('fails, and admits nobody, when its connection is lost half-way', async () => {
    const { name, of } = aProvider();
    const task = await stories.queued(of);
    await test.database.pool.query(
      'INSERT INTO vendor_line (provider) VALUES ($1) ON CONFLICT DO NOTHING',
      [name],
    );
    const other = await test.database.pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM vendor_line WHERE provider = $1 FOR UPDATE', [name]);
    const admitting = moves.admit(name, { maxConcurrent: 10, most: 1 });
    await eventually(() => expectSomebodyWaiting(test.database));

    await Promise.all([expect(admitting).rejects.toThrow(), endWaitingSessions(test.database)]);

    await other.query('ROLLBACK');
    other.release();
    await expect(createTaskReads(test.database).find(task.id)).resolves.toEqual(task);
    await expect(moves.admit(name, { maxConcurrent: 10, most: 1 })).resolves.toEqual([task.id]);
  });
});

describe('claiming a submission', () => {
  it('commits the intent to call the vendor before anybody calls it', async () => {
    const task = await withPlace(test.database, await stories.queued(aProvider().of));

    const claimed = won(await moves.claimSubmission(task));

    expect(claimed).toMatchObject({
      id: task.id,
      status: 'queued',
      step: 'submitting',
      epoch: task.epoch + 1,
      eventSequence: 1,
    });
    expect(claimed.submittingAt).not.toBeNull();
    await expect(createTaskReads(test.database).find(task.id)).resolves.toEqual(claimed);
  });

  it('is refused to a task whose turn has not come', async () => {
    await expect(moves.claimSubmission(await stories.queued(aProvider().of))).resolves.toBe('lost');
  });

  it('lets one of many have the same task', async () => {
    const task = await withPlace(test.database, await stories.queued(aProvider().of));

    const responses = await Promise.all(
      Array.from({ length: 10 }, () => moves.claimSubmission(task)),
    );

    expect(responses.filter((response) => response === 'lost')).toHaveLength(9);
  });

  it('does not claim a task that was cancelled meanwhile', async () => {
    const task = await withPlace(test.database, await stories.queued(aProvider().of));
    won(await end(moves, task, 'cancelled'));

    await expect(moves.claimSubmission(task)).resolves.toBe('lost');
  });
});
