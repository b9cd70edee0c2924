import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import { createTaskMoves } from '@gateway/store';
import { eventually, withPlace } from '@gateway/testing';
import { openWorker, type WorkerUnderTest } from './harness.ts';

let worker: WorkerUnderTest;
beforeEach(async () => {
  worker = await openWorker();
});
afterEach(async () => {
  await worker.close();
});

/** Single looks at one request in 20 s: at 60 tasks each would be looked at every 20 minutes. */
const provider = 'crowded';

/** A task that the vendor is already at work on, and that nobody looks at yet. */
async function aRunningTask(prompt: string): Promise<Task> {
  const { url, apiKey } = worker.sandbox;
  const created = await fetch(`${url}/api/v3/contents/generations/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox-video',
      content: [{ type: 'text', text: prompt }],
      duration: 5,
      resolution: '480p',
    }),
  });
  const { id: vendorTaskId } = (await created.json()) as { id: string };
  const queued = await worker.aTask(prompt, {
    vendor: {
      provider,
      kind: 'ark',
      baseUrl: `${url}/api/v3`,
      credentialId: 'test',
      upstreamModel: 'sandbox-video',
      taskId: null,
    },
  });
  const moves = createTaskMoves(worker.database);
  const claimed = await moves.claimSubmission(await withPlace(worker.database, queued));
  const running =
    claimed === 'lost'
      ? undefined
      : await moves.move(claimed, 'accepted', { changes: { step: 'poll', vendorTaskId } });
  if (running === undefined) throw new Error('the write of a test story was refused');
  return running;
}

/** The link to the video, once the vendor has made it. */
const videoUrlOf = ({ vendor }: Task): Promise<string> =>
  eventually(async () => {
    const { url, apiKey } = worker.sandbox;
    const shown = await fetch(`${url}/api/v3/contents/generations/tasks/${vendor.taskId ?? ''}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const { content } = (await shown.json()) as { content?: { video_url: string } };
    if (content === undefined) throw new Error('the vendor is not done');
    return content.video_url;
  });

describe('more tasks than single polls can follow', () => {
  it('all come to their ends by the vendor’s list, asked once a second by two replicas together', async () => {
    const tasks: Task[] = [];
    for (let index = 0; index < 60; index += 1) {
      tasks.push(await aRunningTask(index % 10 === 0 ? '[fail] x' : 'a red balloon'));
    }
    const startedAt = performance.now();
    await Promise.all([worker.startWorker(), worker.startWorker()]);

    await eventually(
      async () => {
        const { rows } = await worker.database.pool.query<{ left: number }>(
          `SELECT count(*)::int AS left FROM task WHERE step <> 'done'`,
        );
        expect(rows).toEqual([{ left: 0 }]);
      },
      { withinMs: 60_000, everyMs: 100 },
    );
    const { gets, lists } = await worker.vendorStats();
    const elapsedSeconds = (performance.now() - startedAt) / 1_000;
    const ended = await Promise.all(tasks.map(({ id }) => worker.find(id)));
    expect(ended.map(({ status, billed }) => [status, billed?.quota])).toEqual(
      tasks.map((_task, index) => (index % 10 === 0 ? ['failed', 0] : ['succeeded', 50])),
    );
    expect(gets).toBeLessThanOrEqual(1 + elapsedSeconds / 20);
    expect(lists).toBeGreaterThanOrEqual(1);
    expect(lists).toBeLessThanOrEqual(1 + elapsedSeconds);
  });

  it('include one whose end a list told to a process that died before it had woken anybody', async () => {
    const running = await aRunningTask('a red balloon');
    await worker.producer.wake('video.advance', running.id, { delayMs: 3_600_000 });
    await createTaskMoves(worker.database).stay(running, {
      step: 'ingest',
      vendorOutput: { videoUrl: await videoUrlOf(running) },
    });

    await worker.startWorker();

    expect(await worker.until(running.id, 'succeeded')).toMatchObject({
      billed: { seconds: 5, quota: 50 },
    });
  });
});
