import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import { tryOutcomes } from '@gateway/domain';
import { createTaskMoves, createTaskTries, type TaskMoves, type TaskTry } from '@gateway/store';
import { anAccount, openTestDatabase, withPlace, type TestDatabase } from '@gateway/testing';
import { end, storiesOf, succeed, won, type Stories } from './stories.ts';

let test: TestDatabase;
let stories: Stories;
let moves: TaskMoves;
beforeAll(async () => {
  test = await openTestDatabase();
  stories = storiesOf(test.database, (await anAccount(test.database)).id);
  moves = createTaskMoves(test.database);
});
afterAll(() => test.close());

const triesOf = ({ id }: Task): Promise<TaskTry[]> => createTaskTries(test.database).ofTask(id);
const admitted = async (): Promise<Task> => withPlace(test.database, await stories.queued());
const putOff = (task: Task, fields: object = {}): Promise<Task | undefined> =>
  moves.putOff(task, {
    stepFailures: 1,
    outcome: 'busy',
    detail: 'HTTP 429',
    keepsSlot: true,
    ...fields,
  });

describe('the tries of a task', () => {
  it('are none before it is sent', async () => {
    expect(await triesOf(await admitted())).toEqual([]);
  });

  it('begin with the committed intent to send it', async () => {
    const task = await stories.submitting();

    expect(await triesOf(task)).toEqual([
      {
        number: 1,
        provider: task.vendor.provider,
        upstreamModel: task.vendor.upstreamModel,
        vendorTaskId: null,
        submissions: 1,
        outcome: null,
        detail: null,
        createdAt: expect.any(Date),
        submittedAt: expect.any(Date),
        acceptedAt: null,
        endedAt: null,
        vendorCost: null,
        costSource: null,
        vendorCurrency: null,
        leftBecause: null,
      },
    ]);
  });

  it('say what the vendor made of it', async () => {
    const running = await stories.running();
    expect(await triesOf(running)).toMatchObject([
      {
        outcome: 'accepted',
        vendorTaskId: running.vendor.taskId,
        acceptedAt: expect.any(Date),
        endedAt: null,
      },
    ]);

    won(await succeed(moves, running, 3));

    expect(await triesOf(running)).toMatchObject([
      { outcome: 'succeeded', vendorTaskId: running.vendor.taskId, endedAt: expect.any(Date) },
    ]);
  });

  it.each([
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
    ['expired', 'abandoned'],
  ] as const)('end with a task that %s as %s', async (event, outcome) => {
    const task = await stories.running();

    won(await end(moves, task, event));

    expect(await triesOf(task)).toMatchObject([{ outcome, endedAt: expect.any(Date) }]);
  });

  it.each([
    ['invalid_request', 'refused'],
    ['submission_unknown', 'unknown'],
  ] as const)('end with %s, before the vendor took it, as %s', async (code, outcome) => {
    const task = await stories.submitting();

    won(
      await moves.move(task, 'failed', {
        changes: {
          step: 'done',
          failure: { code, message: 'x' },
          billed: { seconds: 0, quota: 0 },
        },
        detail: 'HTTP 400 bad ratio',
      }),
    );

    expect(await triesOf(task)).toMatchObject([
      { outcome, detail: 'HTTP 400 bad ratio', vendorTaskId: null, acceptedAt: null },
    ]);
  });

  it('go on under their number when the vendor is sure to have made nothing', async () => {
    const first = await stories.submitting();
    const waiting = won(await putOff(first));
    expect(waiting).toMatchObject({
      step: 'submit',
      stepFailures: 1,
      admittedAt: first.admittedAt,
    });
    expect(await triesOf(first)).toMatchObject([
      { number: 1, outcome: 'busy', detail: 'HTTP 429', endedAt: expect.any(Date) },
    ]);

    won(await moves.claimSubmission(waiting));

    expect(await triesOf(first)).toMatchObject([
      { number: 1, submissions: 2, outcome: null, detail: null, endedAt: null },
    ]);
  });

  it('get a new number with another route', async () => {
    const first = await stories.submitting();
    const waiting = won(await putOff(first, { outcome: 'unavailable' }));
    await test.database.pool.query(`UPDATE task SET provider = 'second' WHERE id = $1`, [first.id]);

    won(await moves.claimSubmission(waiting));

    expect(await triesOf(first)).toMatchObject([
      { number: 1, provider: first.vendor.provider, outcome: 'unavailable' },
      { number: 2, provider: 'second', outcome: null, submissions: 1 },
    ]);
  });

  it('can be put off back into the queue', async () => {
    const task = await stories.submitting();

    const waiting = won(await putOff(task, { keepsSlot: false }));

    expect(waiting).toMatchObject({ step: 'submit', admittedAt: null });
  });

  it('are ended by a worker of the version before, which does not know of them', async () => {
    const task = await stories.running();

    await test.database.pool.query(
      `UPDATE task SET status = 'failed', step = 'done', completed_at = now(), failure_code = 'vendor_error', billed_seconds = 0, billed_quota = 0 WHERE id = $1`,
      [task.id],
    );

    expect(await triesOf(task)).toMatchObject([{ outcome: 'failed', endedAt: expect.any(Date) }]);
  });

  it('have the outcomes that the domain names, and no others', async () => {
    const { rows } = await test.database.pool.query<{ definition: string }>(
      `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'task_try_outcome'`,
    );

    expect([...rows[0]!.definition.matchAll(/'(\w+)'/g)].map(([, name]) => name)).toEqual([
      ...tryOutcomes,
    ]);
  });

  it('are named by the exposure that comes from them', async () => {
    const task = await stories.submitting();
    await moves.recordExposure({
      taskId: task.id,
      kind: 'submission_unknown',
      provider: task.vendor.provider,
      vendorTaskId: null,
      detail: 'x',
    });

    const { rows } = await test.database.pool.query(
      'SELECT kind, try_number FROM exposure WHERE task_id = $1',
      [task.id],
    );
    expect(rows).toEqual([{ kind: 'submission_unknown', try_number: 1 }]);
  });
});
