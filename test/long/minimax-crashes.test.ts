/** @workers 3: it promises no times. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewTask, Task } from '@gateway/contracts';
import { createTaskMoves } from '@gateway/store';
import { eventually, withPlace } from '@gateway/testing';
import { openWorker, type WorkerUnderTest } from '../component/video-worker/harness.ts';

let worker: WorkerUnderTest;
beforeEach(async () => {
  worker = await openWorker();
});
afterEach(async () => {
  await worker.close();
});

const request: NewTask['request'] = {
  prompt: 'x',
  references: [],
  ratio: '16:9',
  duration: 5,
  resolution: '768p',
  watermark: false,
  seed: null,
  generateAudio: false,
  returnLastFrame: false,
  metadata: {},
  unsupported: ['seed', 'generate_audio', 'return_last_frame'],
};

/** A task for the second vendor whose worker has committed that it will send it, and no more. */
async function aClaimedTask(): Promise<Task> {
  const vendor = {
    provider: 'minimax',
    kind: 'minimax',
    baseUrl: worker.sandbox.url,
    credentialId: 'test',
    upstreamModel: 'MiniMax-H3',
    taskId: null,
  } as const;
  const claimed = await createTaskMoves(worker.database).claimSubmission(
    await withPlace(worker.database, await worker.aTask('x', { vendor, request })),
  );
  if (claimed === 'lost') throw new Error('the task was not claimed');
  return claimed;
}

const atVendor = async (method: string, path: string, body?: object): Promise<unknown> =>
  (
    await fetch(`${worker.sandbox.url}/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${worker.sandbox.apiKey}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  ).json();

/** The same task at the vendor, as the worker would have created it. */
async function createdAtVendor(): Promise<string> {
  const content = [{ type: 'text', text: 'x' }];
  return (
    (await atVendor('POST', '/video_generation', {
      model: 'MiniMax-H3',
      content,
      resolution: '768P',
      duration: 5,
      ratio: '16:9',
    })) as { task_id: string }
  ).task_id;
}

describe('a worker in front of a MiniMax vendor that dies', () => {
  it('after the vendor took the task leaves one that nobody can find: submission_unknown, never sent again, noted as exposure', async () => {
    const { id } = await aClaimedTask();
    await createdAtVendor();
    await worker.startWorker();

    const done = await worker.until(id, 'failed');

    expect(done).toMatchObject({ failure: { code: 'submission_unknown' }, billed: { quota: 0 } });
    expect(await worker.vendorStats()).toMatchObject({ creates_received: 1 });
    expect((await worker.database.pool.query('SELECT task_id, kind FROM exposure')).rows).toEqual([
      { task_id: id, kind: 'submission_unknown' },
    ]);
  });

  it('between the poll and the copy leaves a link that may have run out: another poll gives a fresh one', async () => {
    const moves = createTaskMoves(worker.database);
    const vendorTaskId = await createdAtVendor();
    await eventually(
      async () => {
        expect(await atVendor('GET', `/query/video_generation/${vendorTaskId}`)).toMatchObject({
          task: { status: 'succeeded' },
        });
      },
      { withinMs: 20_000 },
    );
    const accepted = await moves.move(await aClaimedTask(), 'accepted', {
      changes: { step: 'poll', vendorTaskId },
    });
    await moves.stay(accepted!, {
      step: 'ingest',
      vendorOutput: { videoUrl: `${worker.sandbox.url}/files/gone/video.mp4` },
      stepFailures: 0,
    });
    await worker.startWorker();

    const done = await worker.until(accepted!.id, 'succeeded');

    expect(done.billed).toEqual({ seconds: 5, quota: 50 });
    expect(await worker.vendorStats()).toMatchObject({ creates_received: 1 });
  });
});
