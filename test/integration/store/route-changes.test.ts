import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewTask, Task } from '@gateway/contracts';
import {
  createRouteChanges,
  createTaskEndings,
  createTaskMoves,
  createTaskReads,
  createTaskTries,
  createVendorTasks,
  createWork,
  type RouteChange,
  type TaskMoves,
  type TaskTry,
} from '@gateway/store';
import {
  aNewTask,
  anAccount,
  openTestDatabase,
  withPlace,
  type TestDatabase,
} from '@gateway/testing';
import { leaveCauses } from '@gateway/domain';
import { inTurn, morePools, violations } from './books.ts';
import { end, storiesOf, succeed, won, type Stories } from './stories.ts';

let test: TestDatabase;
let stories: Stories;
let moves: TaskMoves;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  accountId = (await anAccount(test.database, { quota: 1_000_000 })).id;
  stories = storiesOf(test.database, accountId);
  moves = createTaskMoves(test.database);
});
afterAll(async () => {
  expect(await violations(test.database)).toEqual([]);
  await test.close();
});

let providers = 0;
/** Two providers that no other test uses. */
function twoRoutes() {
  providers += 1;
  const vendor = aNewTask('').vendor;
  const from = { ...vendor, provider: `from-${providers}` };
  const { taskId: _none, ...to } = {
    ...vendor,
    provider: `to-${providers}`,
    kind: 'minimax',
    baseUrl: 'https://second.example',
    credentialId: 'second',
    upstreamModel: 'other-1',
  };
  const overrides: Partial<NewTask> = { vendor: from };
  const change = (task: Task, fields: Partial<RouteChange> = {}): Promise<Task[]> =>
    createRouteChanges(test.database).changeRoutes([
      { task, to, because: 'not_sent', outcome: 'not_sent', detail: 'gone away', ...fields },
    ]);
  return { from, to, overrides, change };
}

const triesOf = ({ id }: Pick<Task, 'id'>): Promise<TaskTry[]> =>
  createTaskTries(test.database).ofTask(id);
const slotsAt = (provider: string): Promise<number> =>
  createWork(test.database).countAtVendor(provider);
const admitAt = (provider: string): Promise<string[]> =>
  moves.admit(provider, { maxConcurrent: 5, most: 5 });

describe('a task that changes its route', () => {
  it('gives its slot back, waits in the queue of the other, and says in its try why', async () => {
    const { from, to, overrides, change } = twoRoutes();
    const task = await stories.submitting(overrides);
    expect(await slotsAt(from.provider)).toBe(1);

    const [moved] = await change(task);

    expect(moved).toMatchObject({
      id: task.id,
      status: 'queued',
      step: 'submit',
      stepFailures: 0,
      admittedAt: null,
      epoch: task.epoch + 1,
      vendor: { ...to, taskId: null },
      price: task.price,
    });
    expect(await slotsAt(from.provider)).toBe(0);
    expect(await slotsAt(to.provider)).toBe(0);
    expect(await triesOf(task)).toMatchObject([
      {
        number: 1,
        provider: from.provider,
        submissions: 1,
        outcome: 'not_sent',
        detail: 'gone away',
        endedAt: expect.any(Date),
        leftBecause: 'not_sent',
      },
    ]);
    expect(await admitAt(to.provider)).toEqual([task.id]);
    expect(await slotsAt(to.provider)).toBe(1);
    const again = (await createTaskReads(test.database).find(task.id))!;
    const sent = won(await moves.claimSubmission(again));
    won(
      await moves.move(sent, 'accepted', { changes: { step: 'poll', vendorTaskId: 'vendor-b' } }),
    );
    expect(await triesOf(task)).toMatchObject([
      { number: 1 },
      { number: 2, provider: to.provider, outcome: 'accepted', vendorTaskId: 'vendor-b' },
    ]);
  });

  it('has a row also for a route that it left unsent', async () => {
    const { from, overrides, change } = twoRoutes();
    const task = await stories.queued(overrides);

    expect(await change(task, { because: 'breaker_open' })).toHaveLength(1);

    expect(await triesOf(task)).toMatchObject([
      {
        number: 1,
        provider: from.provider,
        submissions: 0,
        outcome: 'not_sent',
        leftBecause: 'breaker_open',
      },
    ]);
  });

  it('keeps the outcome of a try that was put off before', async () => {
    const { overrides, change } = twoRoutes();
    const task = await stories.submitting(overrides);
    const waiting = won(
      await moves.putOff(task, {
        stepFailures: 1,
        outcome: 'busy',
        detail: '429',
        keepsSlot: true,
      }),
    );

    await change(waiting, { because: 'busy', outcome: 'busy', detail: undefined });

    expect(await triesOf(task)).toMatchObject([
      { number: 1, submissions: 1, outcome: 'busy', detail: '429', leftBecause: 'busy' },
    ]);
  });

  it('stays running where its first vendor had begun, and is taken and finished by the other', async () => {
    const { to, overrides, change } = twoRoutes();
    const task = await stories.running(overrides);

    const [moved] = await change(task, { because: 'failed', outcome: 'failed' });

    expect(moved).toMatchObject({
      status: 'running',
      step: 'submit',
      startedAt: task.startedAt,
      eventSequence: task.eventSequence,
    });
    expect(await admitAt(to.provider)).toEqual([task.id]);
    const admitted = (await createTaskReads(test.database).find(task.id))!;
    const putOff = won(
      await moves.putOff(won(await moves.claimSubmission(admitted)), {
        stepFailures: 1,
        outcome: 'busy',
        detail: '429',
        keepsSlot: false,
      }),
    );
    expect(putOff).toMatchObject({ status: 'running', step: 'submit', admittedAt: null });
    expect(await admitAt(to.provider)).toEqual([task.id]);
    const sent = won(
      await moves.claimSubmission((await createTaskReads(test.database).find(task.id))!),
    );
    const taken = won(await moves.stay(sent, { step: 'poll', vendorTaskId: 'vendor-b' }));
    expect(await triesOf(task)).toMatchObject([
      { number: 1, outcome: 'failed', leftBecause: 'failed', vendorTaskId: task.vendor.taskId },
      {
        number: 2,
        outcome: 'accepted',
        vendorTaskId: 'vendor-b',
        acceptedAt: expect.any(Date),
        submissions: 2,
      },
    ]);
    won(await succeed(moves, taken, 3));
    expect(await triesOf(task)).toMatchObject([{ number: 1 }, { outcome: 'succeeded' }]);
  });

  it('may be refused by the other, which is no failure of it', async () => {
    const { to, overrides, change } = twoRoutes();
    const task = await stories.running(overrides);
    await change(task, { because: 'failed', outcome: 'failed' });
    await admitAt(to.provider);
    const sent = won(
      await moves.claimSubmission((await createTaskReads(test.database).find(task.id))!),
    );

    won(await end(moves, sent, 'failed'));

    expect((await triesOf(task)).map(({ outcome }) => outcome)).toEqual(['failed', 'refused']);
  });

  it.each<[string, (task: Task) => Promise<unknown>]>([
    [
      'whose customer wants it cancelled',
      ({ id }) => createTaskEndings(test.database).requestCancel(id, accountId),
    ],
    ['that somebody else has moved', (task) => moves.stay(task, { step: 'submitting' })],
    [
      'whose deadline has passed',
      ({ id }) =>
        test.database.pool.query(
          `UPDATE task SET expires_at = now() - interval '1 second' WHERE id = $1`,
          [id],
        ),
    ],
  ])('is none %s', async (_what, before) => {
    const { overrides, change } = twoRoutes();
    const task = await stories.submitting(overrides);
    await before(task);

    expect(await change(task)).toEqual([]);
    expect(await triesOf(task)).toMatchObject([{ number: 1, outcome: null, leftBecause: null }]);
  });

  it('is none that has had the route before', async () => {
    const { from, to, overrides, change } = twoRoutes();
    const task = await stories.submitting(overrides);
    const [moved] = await change(task);

    expect(await change(moved!, { to: from })).toEqual([]);
    expect(await change(moved!, { to })).toEqual([]);
    expect(await triesOf(task)).toHaveLength(1);
  });

  it('is none of which nobody knows what came, nor one that the vendor has finished', async () => {
    const { overrides, change } = twoRoutes();
    const unknown = await stories.submitting(overrides);
    await test.database.pool.query(
      `UPDATE task_try SET outcome = 'unknown', ended_at = now() WHERE task_id = $1`,
      [unknown.id],
    );
    const running = await stories.running(overrides);
    const made = won(
      await moves.stay(running, { step: 'poll', vendorOutput: { videoUrl: 'https://v.example' } }),
    );

    expect(await change(unknown)).toEqual([]);
    expect(await change(made, { because: 'failed', outcome: 'failed' })).toEqual([]);
    await test.database.pool.query(
      `UPDATE task_try SET outcome = NULL, ended_at = NULL WHERE task_id = $1`,
      [unknown.id],
    );
  });

  it('goes once, however many replicas send it on', async () => {
    const { from, to, overrides } = twoRoutes();
    const tasks = await Promise.all(Array.from({ length: 20 }, () => stories.queued(overrides)));
    const replicas = morePools(test.url, 3);
    const stores = replicas.databases.map(createRouteChanges);

    const moved = await Promise.all(
      Array.from({ length: 6 }, (_unused, index) =>
        inTurn(stores, index).changeRoutes(
          tasks.map((task) => ({ task, to, because: 'breaker_open', outcome: 'not_sent' })),
        ),
      ),
    );
    await replicas.close();

    expect(
      moved
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(tasks.map(({ id }) => id).sort());
    await expect(
      createWork(test.database).waitingTasks(from.provider, { limit: 50 }),
    ).resolves.toEqual([]);
    const first = await createWork(test.database).waitingTasks(to.provider, { limit: 5 });
    const rest = await createWork(test.database).waitingTasks(to.provider, {
      after: first.at(-1),
      limit: 50,
    });
    expect([...first, ...rest].map(({ id }) => id)).toEqual(tasks.map(({ id }) => id).sort());
    const tries = await createTaskTries(test.database).ofTasks(tasks.map(({ id }) => id));
    expect([...tries.values()].every((each) => each.length === 1)).toBe(true);
  });

  it('leaves for the reasons that the domain names, and no others', async () => {
    const { rows } = await test.database.pool.query<{ definition: string }>(
      `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'task_try_left'`,
    );

    for (const cause of leaveCauses) expect(rows[0]!.definition).toContain(`'${cause}'`);
  });

  it('is a second one for the vendor that it left, should that have it after all', async () => {
    const { from, to, overrides, change } = twoRoutes();
    const task = await stories.submitting(overrides);
    await change(task);
    const { compare } = createVendorTasks(test.database);
    const found = [{ vendorTaskId: 'late-1', taskId: task.id }];

    await expect(compare(from.provider, found)).resolves.toMatchObject([{ standing: 'second' }]);
    await expect(compare(to.provider, found)).resolves.toMatchObject([{ standing: 'forgotten' }]);
  });

  it('counts slots also for a task that keeps its slot, whoever moves it', async () => {
    const { from, to, overrides } = twoRoutes();
    const task = await withPlace(test.database, await stories.queued(overrides));

    await test.database.pool.query('UPDATE task SET provider = $2 WHERE id = $1', [
      task.id,
      to.provider,
    ]);

    expect([await slotsAt(from.provider), await slotsAt(to.provider)]).toEqual([0, 1]);
  });
});
