import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewTask, Task } from '@gateway/contracts';
import { createTaskMoves, createTaskReads, createWork, type TaskMoves } from '@gateway/store';
import { aNewTask, anAccount, eventually, openTestDatabase, type TestDatabase } from '@gateway/testing';
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

const queuedTasks = (count: number, overrides: Partial<NewTask>): Promise<Task[]> => Promise.all(Array.from({ length: count }, () => stories.queued(overrides)));

describe('claiming a submission', () => {
  it('commits the intent to call the vendor before anybody calls it', async () => {
    const task = await stories.queued(aProvider().of);

    const claimed = won(await moves.claimSubmission(task, 1));

    expect(claimed).toMatchObject({ id: task.id, status: 'queued', step: 'submitting', epoch: task.epoch + 1, eventSequence: 1 });
    expect(claimed.submittingAt).not.toBeNull();
    await expect(createTaskReads(test.database).find(task.id)).resolves.toEqual(claimed);
  });

  it('never lets more tasks be with a vendor than it takes, at thirty claims at once from several replicas', async () => {
    for (let round = 0; round < 3; round += 1) {
      const provider = aProvider();
      const tasks = await queuedTasks(30, provider.of);
      const replicas = morePools(test.url, 3);
      const stores = replicas.databases.map(createTaskMoves);

      const answers = await Promise.all(tasks.map((task, index) => inTurn(stores, index).claimSubmission(task, 7)));
      await replicas.close();

      expect(answers.filter((answer) => answer === 'full')).toHaveLength(23);
      expect(answers.filter((answer) => answer !== 'full' && answer !== 'lost')).toHaveLength(7);
      await expect(createWork(test.database).countAtVendor(provider.name)).resolves.toBe(7);
    }
  }, 30_000);

  it('lets one of many have the same task', async () => {
    const task = await stories.queued(aProvider().of);

    const answers = await Promise.all(Array.from({ length: 10 }, () => moves.claimSubmission(task, 1_000)));

    expect(answers.filter((answer) => answer === 'lost')).toHaveLength(9);
  });

  it.each(['submitting', 'poll', 'ingest'] as const)('counts a task in step `%s` as being with the vendor', async (step) => {
    const { of } = aProvider();
    if (step === 'submitting') await stories.submitting(of);
    else won(await moves.stay(await stories.running(of), { step }));

    await expect(moves.claimSubmission(await stories.queued(of), 1)).resolves.toBe('full');
  });

  it('finds room again when a task is over, is watched after its deadline, or goes back to waiting', async () => {
    const { of } = aProvider();
    const waiting = await queuedTasks(4, of);
    const claim = async (): Promise<Task> => won(await moves.claimSubmission(waiting.shift()!, 1));
    const running = (task: Task): Promise<Task> => moves.move(task, 'accepted', { changes: { step: 'poll' } }).then(won);

    won(await succeed(moves, await running(await claim()), 5));
    won(await end(moves, await running(await claim()), 'expired'));
    won(await moves.stay(await claim(), { step: 'submit' }));

    await expect(claim()).resolves.toMatchObject({ step: 'submitting' });
  });

  it('does not count the tasks of another provider', async () => {
    await stories.submitting(aProvider().of);

    await expect(moves.claimSubmission(await stories.queued(aProvider().of), 1)).resolves.toMatchObject({ step: 'submitting' });
  });

  it('does not claim a task that was cancelled meanwhile', async () => {
    const task = await stories.queued(aProvider().of);
    won(await end(moves, task, 'cancelled'));

    await expect(moves.claimSubmission(task, 10)).resolves.toBe('lost');
  });

  it('fails, and claims nothing, when its connection is lost half-way', async () => {
    const provider = aProvider();
    const task = await stories.queued(provider.of);
    const other = await test.database.pool.connect();
    await other.query('BEGIN');
    await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('provider ' || $1, 0))`, [provider.name]);
    const claiming = moves.claimSubmission(task, 10);
    await eventually(() => expectSomebodyWaiting(test.database));

    await Promise.all([expect(claiming).rejects.toThrow(), endWaitingSessions(test.database)]);

    await other.query('ROLLBACK');
    other.release();
    await expect(createTaskReads(test.database).find(task.id)).resolves.toEqual(task);
    await expect(moves.claimSubmission(task, 10)).resolves.toMatchObject({ step: 'submitting' });
  });
});
