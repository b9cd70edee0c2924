import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoredMedia, Task } from '@gateway/contracts';
import {
  next,
  taskFailure,
  taskStatuses,
  targetOf,
  type TaskEvent,
  type TaskStatus,
} from '@gateway/domain';
import { createTaskMoves, createTaskReads, type TaskChanges, type TaskMoves } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase, withPlace } from '@gateway/testing';
import { violations } from './books.ts';
import { aResult, contentOf, end, storiesOf, succeed, won, type Stories } from './stories.ts';

let test: TestDatabase;
let moves: TaskMoves;
let stories: Stories;
beforeAll(async () => {
  test = await openTestDatabase();
  moves = createTaskMoves(test.database);
});
afterAll(() => test.close());
beforeEach(async () => {
  stories = storiesOf(test.database, (await anAccount(test.database, { quota: 1_000_000 })).id);
});

const callbackUrl = 'https://receiver.example/hook';

/** Everything a move may write, as it stands in the tables. */
async function stateOf(
  taskId: string,
): Promise<Record<'task' | 'events' | 'pushes' | 'media', unknown[]>> {
  const rows = async (sql: string): Promise<unknown[]> =>
    (await test.database.pool.query(sql, [taskId])).rows as unknown[];
  return {
    task: await rows('SELECT * FROM task WHERE id = $1'),
    events: await rows(
      'SELECT sequence, status, at FROM task_event WHERE task_id = $1 ORDER BY sequence',
    ),
    pushes: await rows(
      'SELECT sequence, status, state FROM callback_push WHERE task_id = $1 ORDER BY sequence',
    ),
    media: await rows(
      'SELECT variant, storage_key, content_type, size_bytes, sha256, purged_at FROM media WHERE task_id = $1 ORDER BY variant',
    ),
  };
}

const free = { seconds: 0, quota: 0 } as const;

/** What goes with each event. */
const changesOf: Readonly<Record<TaskEvent, TaskChanges>> = {
  accepted: { step: 'poll', vendorTaskId: 'vendor-2' },
  stored: { step: 'done', result: aResult, billed: { seconds: 4, quota: 40 } },
  failed: { step: 'done', failure: taskFailure('vendor_error'), billed: free },
  expired: { step: 'late', failure: taskFailure('expired'), billed: free },
  cancelled: { step: 'done', failure: taskFailure('cancelled'), billed: free },
};
const events = Object.keys(changesOf) as TaskEvent[];

async function aTaskIn(status: TaskStatus): Promise<Task> {
  if (status === 'queued' || status === 'running') return stories[status]({ callbackUrl });
  return status === 'succeeded'
    ? stories.succeeded(5, { callbackUrl })
    : stories.ended(status, { callbackUrl });
}

describe('a move of a task', () => {
  it('records that the vendor took it: status, step, vendor id and time, with event and push', async () => {
    const task = await stories.submitting({ callbackUrl });

    const running = won(
      await moves.move(task, 'accepted', { changes: { step: 'poll', vendorTaskId: 'vendor-7' } }),
    );

    expect(running).toMatchObject({
      status: 'running',
      step: 'poll',
      epoch: task.epoch + 1,
      eventSequence: 2,
      completedAt: null,
      billed: null,
      vendor: { taskId: 'vendor-7' },
    });
    expect(running.startedAt).not.toBeNull();
    await expect(stateOf(task.id)).resolves.toMatchObject({
      events: [
        { sequence: 1, status: 'queued' },
        { sequence: 2, status: 'running' },
      ],
      pushes: [
        { sequence: 1, status: 'queued', state: 'pending' },
        { sequence: 2, status: 'running', state: 'pending' },
      ],
    });
  });

  it('records a success: result, bill and time, with event, push and both files', async () => {
    const task = await stories.running({ callbackUrl });
    const lastFrame: StoredMedia = {
      variant: 'last-frame',
      storageKey: 'frames/1.jpg',
      contentType: 'image/jpeg',
      sizeBytes: 9,
      sha256: 'c'.repeat(64),
    };

    const done = won(
      await moves.move(task, 'stored', {
        changes: { step: 'done', result: aResult, billed: { seconds: 4, quota: 40 } },
        media: [contentOf(task), lastFrame],
      }),
    );

    expect(done).toMatchObject({
      status: 'succeeded',
      step: 'done',
      eventSequence: 3,
      result: aResult,
      billed: { seconds: 4, quota: 40 },
      failure: null,
      startedAt: task.startedAt,
    });
    expect(done.completedAt!.getTime()).toBeGreaterThanOrEqual(task.startedAt!.getTime());
    const { events: written, pushes, media } = await stateOf(task.id);
    expect(written.at(-1)).toEqual({ sequence: 3, status: 'succeeded', at: done.completedAt });
    expect(pushes.at(-1)).toEqual({ sequence: 3, status: 'succeeded', state: 'pending' });
    expect(media).toEqual([
      {
        variant: 'content',
        storage_key: `videos/${task.id}.mp4`,
        content_type: 'video/mp4',
        size_bytes: 1234,
        sha256: 'a'.repeat(64),
        purged_at: null,
      },
      {
        variant: 'last-frame',
        storage_key: 'frames/1.jpg',
        content_type: 'image/jpeg',
        size_bytes: 9,
        sha256: 'c'.repeat(64),
        purged_at: null,
      },
    ]);
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('records a failure with its reason and a bill of nothing', async () => {
    const task = await stories.queued({ callbackUrl });

    const failed = won(
      await moves.move(task, 'failed', {
        changes: { step: 'done', failure: taskFailure('content_policy', 'blood'), billed: free },
      }),
    );

    expect(failed).toMatchObject({
      status: 'failed',
      failure: taskFailure('content_policy', 'blood'),
      billed: free,
      startedAt: null,
      result: null,
    });
    await expect(stateOf(task.id)).resolves.toMatchObject({
      pushes: [{ sequence: 1 }, { sequence: 2, status: 'failed' }],
    });
  });

  it('writes no push for a task without a callback address', async () => {
    const task = await stories.running();

    won(await succeed(moves, task, 5));

    await expect(stateOf(task.id)).resolves.toMatchObject({
      events: [{}, {}, {}],
      pushes: [],
      media: [{}],
    });
  });

  it('writes all of it or nothing: a file that is there already undoes the whole move', async () => {
    const task = await stories.running({ callbackUrl });
    await test.database.pool.query(
      `INSERT INTO media (task_id, variant, storage_key, content_type, size_bytes, sha256) VALUES ($1, 'content', 'x', 'video/mp4', 1, $2)`,
      [task.id, 'd'.repeat(64)],
    );
    const before = await stateOf(task.id);

    await expect(succeed(moves, task, 5)).rejects.toThrow('media_pkey');

    await expect(stateOf(task.id)).resolves.toEqual(before);
  });

  it('refuses a step that does not fit the status', async () => {
    const task = await stories.submitting();

    await expect(moves.move(task, 'accepted', { changes: { step: 'late' } })).rejects.toMatchObject(
      { constraint: 'task_step' },
    );
  });

  it.each(
    taskStatuses.flatMap((status) =>
      events.map((event) => ({ status, event, target: next(status, event) ?? 'nothing' })),
    ),
  )('from $status by `$event` leads to $target', async ({ status, event, target }) => {
    const task = await aTaskIn(status);
    const before = await stateOf(task.id);

    const moved = await moves.move(task, event, {
      changes: changesOf[event],
      ...(event === 'stored' && { media: [contentOf(task)] }),
    });

    if (target !== 'nothing') {
      expect(moved).toMatchObject({ status: target });
      return;
    }
    expect(moved).toBeUndefined();
    await expect(stateOf(task.id)).resolves.toEqual(before);
  });

  it('leads to what the state machine says, event by event', () => {
    expect(events.map((event) => [event, targetOf(event)])).toEqual([
      ['accepted', 'running'],
      ['stored', 'succeeded'],
      ['failed', 'failed'],
      ['expired', 'expired'],
      ['cancelled', 'cancelled'],
    ]);
  });
});

describe('a worker that was overtaken', () => {
  it.each(['queued', 'running'] as const)(
    'changes nothing by a late move of a %s task',
    async (status) => {
      const task = await stories[status]({ callbackUrl });
      won(await moves.stay(task, { step: task.step }));
      const before = await stateOf(task.id);

      await expect(end(moves, task, 'failed')).resolves.toBeUndefined();

      await expect(stateOf(task.id)).resolves.toEqual(before);
    },
  );

  it('changes nothing by a late note, whatever it says', async () => {
    const task = await stories.running();
    won(await moves.stay(task, { step: 'ingest' }));
    const before = await stateOf(task.id);

    await expect(
      moves.stay(task, { step: 'poll', stepFailures: 3, vendorTaskId: 'other' }),
    ).resolves.toBeUndefined();

    await expect(stateOf(task.id)).resolves.toEqual(before);
  });

  it('does not claim a submission', async () => {
    const task = await withPlace(test.database, await stories.queued());
    won(await moves.stay(task, { step: 'submit', stepFailures: 1 }));
    const before = await stateOf(task.id);

    await expect(moves.claimSubmission(task)).resolves.toBe('lost');

    await expect(stateOf(task.id)).resolves.toEqual(before);
  });

  it('is one of two that reached an end at once: the other writes nothing', async () => {
    for (let round = 0; round < 10; round += 1) {
      const task = await stories.running({ callbackUrl });

      const responses = await Promise.all([
        succeed(moves, task, 5),
        end(moves, task, 'failed'),
        end(moves, task, 'cancelled'),
        end(moves, task, 'expired'),
      ]);

      const winners = responses.filter((response) => response !== undefined);
      expect(winners).toHaveLength(1);
      const { events: written, pushes, media } = await stateOf(task.id);
      expect(written).toHaveLength(3);
      expect(pushes).toHaveLength(3);
      expect(media).toHaveLength(winners[0]!.status === 'succeeded' ? 1 : 0);
    }
  });
});

describe('staying in a status', () => {
  it('changes step and facts, raises the epoch, and writes no event', async () => {
    const task = await stories.running({ callbackUrl });

    const stayed = won(
      await moves.stay(task, {
        step: 'ingest',
        stepFailures: 2,
        vendorOutput: { videoUrl: 'https://vendor.example/1.mp4', seconds: 5 },
      }),
    );

    expect(stayed).toEqual({
      ...task,
      step: 'ingest',
      stepFailures: 2,
      epoch: task.epoch + 1,
      vendorOutput: { videoUrl: 'https://vendor.example/1.mp4', seconds: 5 },
    });
    await expect(createTaskReads(test.database).find(task.id)).resolves.toEqual(stayed);
    await expect(stateOf(task.id)).resolves.toMatchObject({ events: [{}, {}], pushes: [{}, {}] });
  });

  it('forgets earlier failures of the step when nothing is said of them', async () => {
    const task = won(await moves.stay(await stories.running(), { step: 'poll', stepFailures: 5 }));

    expect(won(await moves.stay(task, { step: 'poll' })).stepFailures).toBe(0);
  });

  it('keeps what is not named', async () => {
    const task = won(
      await moves.stay(await stories.running(), {
        step: 'poll',
        vendorTaskId: 'vendor-9',
        vendorOutput: { videoUrl: 'https://vendor.example/1.mp4' },
      }),
    );

    const stayed = won(await moves.stay(task, { step: 'ingest' }));

    expect(stayed).toMatchObject({
      vendor: { taskId: 'vendor-9' },
      vendorOutput: { videoUrl: 'https://vendor.example/1.mp4' },
      startedAt: task.startedAt,
    });
  });

  it('gives a submission back that was certainly not sent', async () => {
    const task = await stories.submitting();

    expect(won(await moves.stay(task, { step: 'submit', stepFailures: 1 }))).toMatchObject({
      status: 'queued',
      step: 'submit',
    });
  });

  it('refuses a step that does not fit the status', async () => {
    await expect(moves.stay(await stories.running(), { step: 'late' })).rejects.toMatchObject({
      constraint: 'task_step',
    });
  });
});

describe('the deadline of a task', () => {
  const change = {
    changes: { step: 'late', failure: taskFailure('expired'), billed: free },
    ifOverdue: true,
  } as const;

  it('is judged by the database', async () => {
    const task = await stories.running();

    await expect(moves.move(task, 'expired', change)).resolves.toBeUndefined();

    await test.database.pool.query(
      `UPDATE task SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [task.id],
    );
    await expect(moves.move(task, 'expired', change)).resolves.toMatchObject({ status: 'expired' });
  });
});

describe('a video that the vendor made and nobody got', () => {
  const vendorOutput = { videoUrl: 'https://files.example/v.mp4', seconds: 5, totalTokens: 900 };
  const copied = async (): Promise<Task> =>
    won(await moves.stay(await stories.running(), { step: 'ingest', vendorOutput }));
  const notedFor = async ({ id }: Task): Promise<unknown[]> =>
    (
      await test.database.pool.query(
        'SELECT kind, provider, vendor_task_id, detail FROM exposure WHERE task_id = $1',
        [id],
      )
    ).rows;

  it.each(['failed', 'expired', 'cancelled'] as const)(
    'is noted by the statement that ends its task as %s',
    async (event) => {
      const task = await copied();

      won(await end(moves, task, event));

      expect(await notedFor(task)).toEqual([
        {
          kind: 'output_lost',
          provider: 'sandbox',
          vendor_task_id: 'vendor-1',
          detail: 'the vendor had finished, and its video was not copied, 5 s, 900 tokens',
        },
      ]);
    },
  );

  it('is noted when the vendor reported success without a file', async () => {
    const task = await stories.running();

    won(
      await moves.move(task, 'failed', {
        changes: { step: 'done', failure: taskFailure('no_output'), billed: free },
      }),
    );

    expect(await notedFor(task)).toMatchObject([
      { detail: 'the vendor had finished, and its video was not copied' },
    ]);
  });

  it('is not noted when its task succeeded, or when there was none', async () => {
    const task = await copied();
    won(await succeed(moves, task, 5));

    expect(await notedFor(task)).toEqual([]);
    expect(await notedFor(await stories.ended('failed'))).toEqual([]);
  });
});

describe('an expired task that is watched', () => {
  it('is over when the watch ends, and stays expired', async () => {
    const task = await stories.ended('expired');

    await moves.closeLate(task);

    await expect(createTaskReads(test.database).find(task.id)).resolves.toEqual({
      ...task,
      step: 'done',
      epoch: task.epoch + 1,
    });
  });

  it('is left alone by a late ending and by the ending of a task that is not watched', async () => {
    const expired = await stories.ended('expired');
    won(await moves.stay(expired, { step: 'late' }));
    const running = await stories.running();

    await moves.closeLate(expired);
    await moves.closeLate(running);

    await expect(createTaskReads(test.database).find(expired.id)).resolves.toMatchObject({
      step: 'late',
    });
    await expect(createTaskReads(test.database).find(running.id)).resolves.toEqual(running);
  });

  it('leaves one note of each kind of exposure, cut to a length', async () => {
    const task = await stories.ended('expired');
    const exposure = {
      taskId: task.id,
      provider: 'sandbox',
      vendorTaskId: 'vendor-1',
      detail: 'x'.repeat(2_000),
    } as const;

    await moves.recordExposure({ ...exposure, kind: 'late_success' });
    await moves.recordExposure({ ...exposure, kind: 'late_success', detail: 'again' });
    await moves.recordExposure({ ...exposure, kind: 'orphan', vendorTaskId: null });

    const { rows } = await test.database.pool.query(
      'SELECT kind, provider, vendor_task_id, detail FROM exposure WHERE task_id = $1 ORDER BY id',
      [task.id],
    );
    expect(rows).toEqual([
      {
        kind: 'late_success',
        provider: 'sandbox',
        vendor_task_id: 'vendor-1',
        detail: 'x'.repeat(1_000),
      },
      { kind: 'orphan', provider: 'sandbox', vendor_task_id: null, detail: 'x'.repeat(1_000) },
    ]);
  });
});
