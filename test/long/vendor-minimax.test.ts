/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { NewTask, Task } from '@gateway/contracts';
import { probeMp4, sourceFromBytes } from '@gateway/media';
import { createTaskReads } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { openWorker, type WorkerUnderTest } from '../component/video-worker/harness.ts';

let worker: WorkerUnderTest;
beforeAll(async () => {
  worker = await openWorker();
  await worker.startWorker();
});
afterAll(async () => {
  await worker.close();
});

const request: NewTask['request'] = {
  prompt: '',
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

/** A task for the second vendor, woken. */
async function aTask(prompt: string, fields: Partial<NewTask['request']> = {}): Promise<Task> {
  const task = await worker.aTask(prompt, {
    vendor: {
      provider: 'minimax',
      kind: 'minimax',
      baseUrl: worker.sandbox.url,
      credentialId: 'test',
      upstreamModel: 'MiniMax-H3',
      taskId: null,
    },
    request: { ...request, prompt, ...fields },
  });
  await worker.producer.wake('video.advance', task.id);
  return task;
}

/** The task as the vendor shows it. */
async function atVendor(
  vendorTaskId: string,
): Promise<{ readonly status: string; readonly content?: { readonly url: string } }> {
  const response = await fetch(`${worker.sandbox.url}/v2/query/video_generation/${vendorTaskId}`, {
    headers: { authorization: `Bearer ${worker.sandbox.apiKey}` },
  });
  return ((await response.json()) as { task: { status: string; content?: { url: string } } }).task;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('a task in front of a MiniMax vendor that', () => {
  it('succeeds: ends with the vendor’s very file in our storage, and the vendor’s resolution in our spelling', async () => {
    const task = await aTask('a red balloon', {
      ratio: 'adaptive',
      references: [
        {
          kind: 'image',
          role: 'first_frame',
          source: { type: 'url', url: 'https://files.example/a.png' },
        },
      ],
    });

    const done = await worker.until(task.id, 'succeeded');

    expect(done).toMatchObject({
      billed: { seconds: 5, quota: 50 },
      failure: null,
      result: {
        seconds: expect.closeTo(5, 1),
        resolution: '768p',
        ratio: '16:9',
        totalTokens: expect.any(Number),
      },
    });
    const content = (await createTaskReads(worker.database).findMedia(task.id, 'content'))!;
    const stored = await readFile(path.join(worker.storageDir, content.storageKey));
    const theirs = new Uint8Array(
      await (await fetch((await atVendor(done.vendor.taskId!)).content!.url)).arrayBuffer(),
    );
    expect([sha256(stored), content.sha256]).toEqual([sha256(theirs), sha256(theirs)]);
    expect(await probeMp4(sourceFromBytes(stored))).toMatchObject({
      container: 'mp4',
      seconds: expect.closeTo(5, 1),
    });
  });

  it.each([
    ['reports failure', '[fail] x', 'vendor_error'],
    ['refuses the result', '[moderate] x', 'content_policy'],
    ['refuses the prompt', '[moderate-input] x', 'content_policy'],
    ['refuses the request', '[reject] x', 'invalid_request'],
    ['succeeds without a file', '[no-output] x', 'no_output'],
    ['gives the task up', '[expire] x', 'expired'],
  ])('%s: ends unbilled', async (_name, prompt, failure) => {
    const task = await aTask(prompt);

    const done = await eventually(
      async () => {
        const now = await worker.find(task.id);
        expect(now.step).toBe('done');
        return now;
      },
      { withinMs: 20_000 },
    );

    expect(done).toMatchObject({
      billed: { seconds: 0, quota: 0 },
      failure: { code: failure },
      result: null,
    });
  });

  it.each([
    ['responds to polls with errors', '[poll-errors=4] x'],
    ['does not know a fresh task yet', '[missing-polls=2] x'],
    ['invents a status', '[odd-status=2] x'],
    ['fails downloads at first', '[file-errors=1] x'],
  ])('%s: the task goes on and succeeds', async (_name, prompt) => {
    expect((await worker.until((await aTask(prompt)).id, 'succeeded')).billed).toEqual({
      seconds: 5,
      quota: 50,
    });
  });

  it('makes a shorter video: bills what is in the file', async () => {
    expect((await worker.until((await aTask('[actual=4] x')).id, 'succeeded')).billed).toEqual({
      seconds: 4,
      quota: 40,
    });
  });

  it('responds to a creation with silence: the task ends as submission_unknown, is not sent again, and is noted as exposure', async () => {
    const { creates_received: before } = await worker.vendorStats();
    const task = await aTask('[lose-answer] x');

    const done = await worker.until(task.id, 'failed');

    expect(done).toMatchObject({
      failure: { code: 'submission_unknown' },
      billed: { seconds: 0, quota: 0 },
      vendor: { taskId: null },
    });
    expect((await worker.vendorStats()).creates_received).toBe(before + 1);
    expect(
      (await worker.database.pool.query('SELECT kind FROM exposure WHERE task_id = $1', [task.id]))
        .rows,
    ).toEqual([{ kind: 'submission_unknown' }]);
  });
});
