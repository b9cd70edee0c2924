import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import type { Task } from '@gateway/contracts';
import { createTaskReads } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { openWorker, type WorkerUnderTest } from './harness.ts';

let worker: WorkerUnderTest;
beforeEach(async () => {
  worker = await openWorker();
});
afterEach(async () => {
  await worker.close();
});

const request = (more: Partial<Task['request']>): Task['request'] => ({
  prompt: 'x',
  references: [],
  ratio: '16:9',
  duration: 5,
  resolution: '480p',
  watermark: false,
  seed: null,
  generateAudio: false,
  returnLastFrame: false,
  metadata: {},
  unsupported: [],
  ...more,
});

describe('a last frame that the vendor is not asked for', () => {
  it('is cut from the stored video', async () => {
    await worker.startWorker({ FFMPEG_PATH: ffmpeg.path });
    const task = await worker.aTask('x', {
      request: request({ returnLastFrame: true, unsupported: ['return_last_frame'] }),
    });
    await worker.producer.wake('video.advance', task.id);

    await worker.until(task.id, 'succeeded');

    expect(await createTaskReads(worker.database).findMedia(task.id, 'last-frame')).toMatchObject({
      contentType: 'image/jpeg',
      sizeBytes: expect.any(Number),
    });
    const {
      rows: [row],
    } = await worker.database.pool.query<{ vendor_output: object }>(
      'SELECT vendor_output FROM task WHERE id = $1',
      [task.id],
    );
    expect(row?.vendor_output).not.toHaveProperty('lastFrameUrl');
  });

  it('waits for a worker with a decoder where this one has none, and leaves no file meanwhile', async () => {
    const stop = await worker.startWorker();
    const task = await worker.aTask('x', {
      request: request({ returnLastFrame: true, unsupported: ['return_last_frame'] }),
    });
    await worker.producer.wake('video.advance', task.id);

    await eventually(async () => {
      expect((await worker.find(task.id)).step).toBe('ingest');
    });
    await stop();

    expect((await worker.find(task.id)).status).toBe('running');
    expect(
      (await readdir(worker.storageDir, { recursive: true })).filter((name) =>
        name.includes(task.id),
      ),
    ).toEqual([]);
  });
});

describe('a worker', () => {
  it('does not start with a decoder that does not work', async () => {
    await expect(worker.startWorker({ FFMPEG_PATH: '/no/such/ffmpeg' })).rejects.toThrow(
      /does not work/,
    );
  });
});

describe('a data: URL of a request', () => {
  it('reaches the vendor byte for byte, from storage', async () => {
    const bytes = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
    await mkdir(path.join(worker.storageDir, 'inputs'), { recursive: true });
    await writeFile(path.join(worker.storageDir, 'inputs/a'), bytes);
    await worker.startWorker();
    const source = {
      type: 'stored' as const,
      key: 'inputs/a',
      mediaType: 'image/png',
      sizeBytes: bytes.length,
      sha256: 'x',
    };
    const task = await worker.aTask('x', {
      request: request({ references: [{ kind: 'image', role: 'first_frame', source }] }),
    });
    await worker.producer.wake('video.advance', task.id);

    await worker.until(task.id, 'succeeded');

    const { tasks } = (await (await fetch(`${worker.sandbox.url}/control/tasks`)).json()) as {
      tasks: { inputs: object[] }[];
    };
    expect(tasks[0]?.inputs).toEqual([
      {
        type: 'image_url',
        role: 'first_frame',
        via: 'data',
        content_type: 'image/png',
        size_bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      },
    ]);
  });
});
