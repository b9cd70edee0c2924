import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import type { Task } from '@gateway/contracts';
import { probeImage } from '@gateway/media';
import { createTaskReads } from '@gateway/store';
import { openWorker, type WorkerUnderTest } from './harness.ts';

let worker: WorkerUnderTest;
beforeEach(async () => {
  worker = await openWorker();
});
afterEach(async () => {
  await worker.close();
});

async function aVideo(): Promise<Task> {
  const { id } = await worker.aTask('a paper boat');
  await worker.producer.wake('video.advance', id);
  return worker.until(id, 'succeeded');
}
const posterOf = ({ id }: Task) => createTaskReads(worker.database).findMedia(id, 'poster');
const filesOf = async ({ id }: Task): Promise<string[]> =>
  (await readdir(worker.storageDir, { recursive: true })).filter((name) => name.includes(id));
const counted = async (outcome: string): Promise<number> =>
  Number(
    new RegExp(`^gateway_posters_total\\{.*outcome="${outcome}".*\\} (\\d+)$`, 'm').exec(
      await worker.metrics(),
    )?.[1],
  );
/** A decoder that answers, and fails at its work. */
async function aBrokenDecoder(): Promise<string> {
  const file = path.join(worker.storageDir, 'broken-ffmpeg');
  await writeFile(file, '#!/bin/sh\ncase "$*" in *-version*) exit 0;; esac\nexit 3\n');
  await chmod(file, 0o755);
  return file;
}

describe('the poster of a video', () => {
  it('is its first frame as a small JPEG, in the row that its success was written with', async () => {
    await worker.startWorker({ FFMPEG_PATH: ffmpeg.path });

    const task = await aVideo();

    const poster = await posterOf(task);
    expect(task.result?.hasPoster).toBe(true);
    expect(poster).toMatchObject({ contentType: 'image/jpeg', purgedAt: null });
    expect(poster?.storageKey).toMatch(
      new RegExp(`^frames/${task.id}-\\d+-poster-[0-9a-f]{12}\\.jpg$`),
    );
    const bytes = await readFile(path.join(worker.storageDir, poster!.storageKey));
    expect(probeImage(bytes)).toMatchObject({ mediaType: 'image/jpeg', width: 256 });
    expect(bytes.length).toBe(poster?.sizeBytes);
    expect(bytes.length).toBeLessThanOrEqual(30_000);
    expect([await counted('made'), await counted('failed')]).toEqual([1, 0]);
  });

  it('is missing where it cannot be made, which is counted and logged, and the video is there', async () => {
    await worker.startWorker({ FFMPEG_PATH: await aBrokenDecoder() });

    const task = await aVideo();

    expect(task.result).not.toHaveProperty('hasPoster');
    expect(await posterOf(task)).toBeNull();
    expect(await filesOf(task)).toEqual([expect.stringContaining('videos/')]);
    expect([await counted('made'), await counted('failed')]).toEqual([0, 1]);
    expect(worker.log.lines).toContainEqual({
      level: 'warn',
      message: 'poster not made',
      fields: expect.objectContaining({ detail: expect.stringContaining('it ended with 3') }),
    });
  });

  it.each([
    ['none is wanted', { FFMPEG_PATH: ffmpeg.path, MAKE_POSTERS: false }],
    ['there is no decoder', {}],
  ])('is not made where %s', async (_why, settings) => {
    await worker.startWorker(settings);

    const task = await aVideo();

    expect(await posterOf(task)).toBeNull();
    expect([await counted('made'), await counted('failed')]).toEqual([0, 0]);
  });
});
