/** @workers 3: it promises no times. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { taskFailure } from '@gateway/domain';
import { createTaskMoves } from '@gateway/store';
import { eventually, openPeer, withPlace } from '@gateway/testing';
import { openWorker, type WorkerUnderTest } from '../component/video-worker/harness.ts';

let worker: WorkerUnderTest;
beforeEach(async () => {
  worker = await openWorker();
});
afterEach(async () => {
  await worker.close();
});

const exposures = async (): Promise<unknown[]> =>
  (await worker.database.pool.query('SELECT task_id, kind FROM exposure')).rows;

describe('a submission', () => {
  it('whose response is lost is found at the vendor and never repeated', async () => {
    const task = await worker.aTask('[lose-answer] x');
    await worker.startWorker();

    const done = await worker.until(task.id, 'succeeded');

    expect(done.billed).toEqual({ seconds: 5, quota: 50 });
    expect(await worker.vendorStats()).toMatchObject({ creates_received: 1, creates_accepted: 1 });
  });

  it('that was meant but never sent before a crash ends as submission_unknown, is not sent again, and costs nothing', async () => {
    const task = await worker.aTask('x');
    await createTaskMoves(worker.database).claimSubmission(await withPlace(worker.database, task));
    await worker.startWorker();

    const done = await worker.until(task.id, 'failed');

    expect(done).toMatchObject({ failure: { code: 'submission_unknown' }, billed: { quota: 0 } });
    expect(await worker.vendorStats()).toMatchObject({ creates_received: 0 });
    expect(await exposures()).toEqual([{ task_id: task.id, kind: 'submission_unknown' }]);
  });

  it('whose crash came after the vendor had taken it is adopted', async () => {
    const task = await worker.aTask('x');
    await createTaskMoves(worker.database).claimSubmission(await withPlace(worker.database, task));
    const accepted = await fetch(`${worker.sandbox.url}/api/v3/contents/generations/tasks`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${worker.sandbox.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        model: 'sandbox-video',
        content: [{ type: 'text', text: 'x' }],
        duration: 5,
        resolution: '480p',
        ratio: '16:9',
        safety_identifier: task.id,
      }),
    });
    expect(accepted.status).toBe(200);
    await worker.startWorker();

    await worker.until(task.id, 'succeeded');

    expect(await worker.vendorStats()).toMatchObject({ creates_received: 1 });
  });

  it('whose deadline passes before it is resolved is exposure', async () => {
    const task = await worker.aTask('x', { expiresAfterSeconds: 2 });
    await createTaskMoves(worker.database).claimSubmission(await withPlace(worker.database, task));
    await worker.startWorker({ SUBMISSION_UNKNOWN_AFTER_MS: 60_000 });

    await worker.until(task.id, 'expired');

    await eventually(async () => {
      expect(await exposures()).toEqual([{ task_id: task.id, kind: 'submission_unknown' }]);
    });
  });

  it('whose deadline passes before it is resolved is noted as exposure, although the worker died right after', async () => {
    const task = await worker.aTask('x', { expiresAfterSeconds: 1 });
    const moves = createTaskMoves(worker.database);
    const claimed = await moves.claimSubmission(await withPlace(worker.database, task));
    if (claimed === 'lost') throw new Error('the task was not claimed');
    await moves.move(claimed, 'expired', {
      changes: { step: 'late', failure: taskFailure('expired'), billed: { seconds: 0, quota: 0 } },
    });
    await worker.startWorker();

    await eventually(async () => {
      expect(await exposures()).toEqual([{ task_id: task.id, kind: 'submission_unknown' }]);
    });
    await eventually(async () => {
      expect(await worker.find(task.id)).toMatchObject({ status: 'expired', step: 'done' });
    });
  });

  it('to a vendor that cannot be reached is made once the vendor is back', async () => {
    const gone = await openPeer(() => undefined);
    await gone.close();
    const task = await worker.aTask('x', {
      vendor: {
        provider: 'sandbox',
        kind: 'ark',
        baseUrl: `${gone.url}/api/v3`,
        credentialId: 'test',
        upstreamModel: 'sandbox-video',
        taskId: null,
      },
    });
    await worker.startWorker();
    await eventually(async () => {
      expect((await worker.find(task.id)).stepFailures).toBeGreaterThan(0);
    });
    expect(await worker.find(task.id)).toMatchObject({ status: 'queued', step: 'submit' });

    await worker.database.pool.query('UPDATE task SET base_url = $2 WHERE id = $1', [
      task.id,
      `${worker.sandbox.url}/api/v3`,
    ]);

    await worker.until(task.id, 'succeeded');
  });

  it('refused for the rate is repeated until it is taken', async () => {
    await worker.fault({ operation: 'create', action: 'status', status: 429, times: 2 });
    const task = await worker.aTask('x');
    await worker.startWorker();

    await worker.until(task.id, 'succeeded');

    expect(await worker.vendorStats()).toMatchObject({ creates_accepted: 1 });
  });
});

describe('a worker', () => {
  it('finds tasks that nobody woke it for', async () => {
    const tasks = [await worker.aTask('one'), await worker.aTask('two')];
    await worker.startWorker();

    await Promise.all(tasks.map(({ id }) => worker.until(id, 'succeeded')));
  });

  it('shares tasks with another one without doing anything twice', async () => {
    await Promise.all([worker.startWorker(), worker.startWorker()]);
    const tasks = await Promise.all(
      Array.from({ length: 12 }, (_unused, index) => worker.aTask(`video ${index}`)),
    );
    await worker.producer.wakeAll(
      'video.advance',
      tasks.map(({ id }) => id),
    );

    const done = await Promise.all(tasks.map(({ id }) => worker.until(id, 'succeeded')));

    expect(done.every(({ eventSequence }) => eventSequence === 3)).toBe(true);
    expect(await worker.vendorStats()).toMatchObject({
      creates_received: 12,
      creates_accepted: 12,
    });
  });

  it('stops within its bound and leaves its task to the next one', async () => {
    const stop = await worker.startWorker();
    const task = await worker.aTask('[slow=2] x');
    await worker.producer.wake('video.advance', task.id);
    await worker.until(task.id, 'running');

    await stop();
    await worker.startWorker();

    await worker.until(task.id, 'succeeded');
    expect(await worker.vendorStats()).toMatchObject({ creates_received: 1 });
  });
});

describe('a deadline', () => {
  it('ends the task as expired, unbilled, and a late success at the vendor becomes exposure', async () => {
    const task = await worker.aTask('[slow=3] x', { expiresAfterSeconds: 1 });
    await worker.startWorker();
    await worker.producer.wake('video.advance', task.id);

    const expired = await worker.until(task.id, 'expired');

    expect(expired).toMatchObject({
      failure: { code: 'expired' },
      billed: { seconds: 0, quota: 0 },
    });
    await eventually(async () => {
      expect(await exposures()).toEqual([{ task_id: task.id, kind: 'late_success' }]);
    });
    await eventually(async () => {
      expect((await worker.find(task.id)).step).toBe('done');
    });
  });
});
