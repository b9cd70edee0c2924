/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sourceFromBytes, probeMp4 } from '@gateway/media';
import { createTaskReads, createTaskTries } from '@gateway/store';
import { openWorker, type WorkerUnderTest } from '../../component/video-worker/harness.ts';

let worker: WorkerUnderTest;
beforeAll(async () => {
  worker = await openWorker();
  await worker.startWorker();
});
afterAll(async () => {
  await worker.close();
});

const eventsOf = async (taskId: string): Promise<string[]> =>
  (
    await worker.database.pool.query<{ status: string }>(
      'SELECT status FROM task_event WHERE task_id = $1 ORDER BY sequence',
      [taskId],
    )
  ).rows.map(({ status }) => status);

describe('a task in front of a vendor that', () => {
  it('succeeds: ends with the video and its last frame in our storage, checked, hashed and billed', async () => {
    const task = await worker.aTask('a red balloon', {
      callbackUrl: 'http://127.0.0.1:9/',
      request: {
        prompt: 'a red balloon',
        references: [],
        ratio: '16:9',
        duration: 5,
        resolution: '480p',
        watermark: false,
        seed: null,
        generateAudio: false,
        returnLastFrame: true,
        metadata: {},
        unsupported: [],
      },
    });
    await worker.producer.wake('video.advance', task.id);

    const done = await worker.until(task.id, 'succeeded');

    expect(done).toMatchObject({
      step: 'done',
      failure: null,
      billed: { seconds: 5, quota: 50 },
      result: {
        seconds: expect.closeTo(5, 1),
        ratio: '16:9',
        resolution: '480p',
        seed: expect.any(Number),
        completionTokens: expect.any(Number),
        totalTokens: expect.any(Number),
      },
    });
    expect(await eventsOf(task.id)).toEqual(['queued', 'running', 'succeeded']);
    const reads = createTaskReads(worker.database);
    const content = (await reads.findMedia(task.id, 'content'))!;
    const bytes = await readFile(path.join(worker.storageDir, content.storageKey));
    expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([
      content.sizeBytes,
      content.sha256,
    ]);
    expect(await probeMp4(sourceFromBytes(bytes))).toMatchObject({
      container: 'mp4',
      videoCodec: expect.stringMatching(/^avc1/),
    });
    expect(await reads.findMedia(task.id, 'last-frame')).toMatchObject({
      contentType: 'image/jpeg',
    });
    const { rows } = await worker.database.pool.query(
      'SELECT status, state FROM callback_push WHERE task_id = $1 ORDER BY sequence',
      [task.id],
    );
    expect(rows).toEqual(
      ['queued', 'running', 'succeeded'].map((status) => ({ status, state: 'pending' })),
    );
    expect(
      worker.log.lines
        .filter(({ message }) => message === 'task moved')
        .map(({ fields }) => fields['to']),
    ).toContain('succeeded');
  });

  it.each([
    ['reports failure', '[fail] x', 'failed', 'vendor_error'],
    ['refuses the result', '[moderate] x', 'failed', 'content_policy'],
    ['refuses the prompt', '[moderate-input] x', 'failed', 'content_policy'],
    ['refuses the request', '[reject] x', 'failed', 'invalid_request'],
    ['succeeds without a file', '[no-output] x', 'failed', 'no_output'],
  ])('%s: ends unbilled as %3$s', async (_name, prompt, status, failure) => {
    const task = await worker.aTask(prompt);
    await worker.producer.wake('video.advance', task.id);

    const done = await worker.until(task.id, status as 'failed');

    expect(done).toMatchObject({
      step: 'done',
      billed: { seconds: 0, quota: 0 },
      failure: { code: failure },
      result: null,
    });
    expect((await eventsOf(task.id)).at(-1)).toBe(status);
  });

  it('expires the task there: expires here, unbilled, and nobody watches it', async () => {
    const task = await worker.aTask('[expire] x');
    await worker.producer.wake('video.advance', task.id);

    expect(await worker.until(task.id, 'expired')).toMatchObject({
      step: 'done',
      failure: { code: 'expired' },
      billed: { quota: 0 },
    });
    expect(await createTaskTries(worker.database).ofTask(task.id)).toMatchObject([
      { outcome: 'failed', endedAt: expect.any(Date) },
    ]);
  });

  it.each([
    ['makes a shorter video', '[actual=4] x', { seconds: 4, quota: 40 }],
    ['makes a longer video than was reserved', '[actual=9] x', { seconds: 5, quota: 50 }],
    [
      'reports another length than the file has',
      '[claim=9] [actual=4] x',
      { seconds: 4, quota: 40 },
    ],
  ])('%s: bills what is in the file, never above the hold', async (_name, prompt, billed) => {
    const task = await worker.aTask(prompt);
    await worker.producer.wake('video.advance', task.id);

    expect((await worker.until(task.id, 'succeeded')).billed).toEqual(billed);
  });

  it.each([
    ['responds to polls with errors', '[poll-errors=6] x'],
    ['does not know a fresh task yet', '[missing-polls=2] x'],
    ['invents a status', '[odd-status=3] x'],
    ['fails downloads at first', '[file-errors=2] x'],
  ])('%s: the task goes on and succeeds', async (_name, prompt) => {
    const task = await worker.aTask(prompt);
    await worker.producer.wake('video.advance', task.id);

    expect((await worker.until(task.id, 'succeeded')).billed).toEqual({ seconds: 5, quota: 50 });
  });
});
