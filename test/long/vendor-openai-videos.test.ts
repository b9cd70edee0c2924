/** @workers 3: it promises no times. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfiguration, type Configuration, type Task } from '@gateway/contracts';
import { createTaskReads } from '@gateway/store';
import { fixedConfiguration } from '@gateway/testing';
import { videoVendors } from '@gateway/video-providers';
import { openWorker, type WorkerUnderTest } from '../component/video-worker/harness.ts';

let worker: WorkerUnderTest;
beforeAll(async () => {
  worker = await openWorker();
  await worker.startWorker({}, fixedConfiguration(configuration()));
});
afterAll(async () => {
  await worker.close();
});

function configuration(): Configuration {
  const read = readConfiguration(
    `
providers:
  sora: { kind: openai-videos, base_url: "${worker.sandbox.url}/v1", api_key: "\${KEY}", max_concurrent: 50, requests_per_second: 1000, poll_seconds: { first: 0.05, max: 0.3 } }
models:
  sora-2:
    kind: video
    provider: sora
    upstream_model: sora-2
    second_quota: 10
    duration: { min: 4, max: 12, default: 4 }
    ratio: { allowed: ["16:9"], default: "16:9" }
    resolution: { allowed: [720p], default: 720p }
`,
    { environment: { KEY: worker.sandbox.apiKey }, readFile: () => undefined },
    videoVendors,
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.configuration;
}

async function aTask(prompt: string): Promise<Task> {
  const task = await worker.aTask(prompt, {
    vendor: {
      provider: 'sora',
      kind: 'openai-videos',
      baseUrl: `${worker.sandbox.url}/v1`,
      credentialId: 'test',
      upstreamModel: 'sora-2',
      taskId: null,
    },
    request: {
      prompt,
      references: [],
      ratio: '16:9',
      duration: 4,
      resolution: '720p',
      watermark: false,
      seed: null,
      generateAudio: false,
      returnLastFrame: false,
      metadata: {},
      unsupported: [],
    },
  });
  await worker.producer.wake('video.advance', task.id);
  return task;
}

describe('a task in front of a vendor of the OpenAI videos format that', () => {
  it("succeeds: ends with the vendor's file, which the key opens, in our storage, and is billed", async () => {
    const { id } = await aTask('a red balloon');

    const done = await worker.until(id, 'succeeded');

    expect(done).toMatchObject({
      failure: null,
      billed: { seconds: 4, quota: 40 },
      result: {
        seconds: expect.closeTo(4, 1),
        ratio: '16:9',
        resolution: '720p',
        seed: null,
        completionTokens: expect.any(Number),
      },
    });
    const { storageKey, sha256 } = (await createTaskReads(worker.database).findMedia(
      id,
      'content',
    ))!;
    expect(
      createHash('sha256')
        .update(await readFile(path.join(worker.storageDir, storageKey)))
        .digest('hex'),
    ).toBe(sha256);
    const vendors = await fetch(`${worker.sandbox.url}/v1/videos/${done.vendor.taskId}/content`, {
      headers: { authorization: `Bearer ${worker.sandbox.apiKey}` },
    });
    expect(
      createHash('sha256')
        .update(new Uint8Array(await vendors.arrayBuffer()))
        .digest('hex'),
    ).toBe(sha256);
  });

  it.each([
    ['reports failure', '[fail] x', 'vendor_error'],
    ['refuses the result', '[moderate] x', 'content_policy'],
    ['refuses the prompt', '[moderate-input] x', 'content_policy'],
    ['refuses the request', '[reject] x', 'invalid_request'],
    ['completes without a file', '[no-output] x', 'no_output'],
    ['loses its response', '[lose-answer] x', 'submission_unknown'],
  ])('%s (%s): ends unbilled as %s', async (_name, prompt, failure) => {
    const { id } = await aTask(prompt);

    expect(await worker.until(id, 'failed')).toMatchObject({
      step: 'done',
      billed: { seconds: 0, quota: 0 },
      failure: { code: failure },
      result: null,
    });
  });

  it('lets the task run out there: ends unbilled', async () => {
    const { id } = await aTask('[expire] x');

    expect(await worker.until(id, 'expired')).toMatchObject({ billed: { quota: 0 } });
  });

  it('breaks polls and first downloads: comes to the same video', async () => {
    const { id } = await aTask('[poll-errors=3] [file-errors=1] x');

    expect(await worker.until(id, 'succeeded')).toMatchObject({
      billed: { seconds: 4, quota: 40 },
    });
  });
});
