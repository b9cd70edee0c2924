import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { createHolds, createTaskReads } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { openWorker, type WorkerUnderTest } from './harness.ts';

let worker: WorkerUnderTest;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(async () => {
  await worker.close();
});

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(path.join(worker.storageDir, folder)).catch(() => [])).sort();
const succeeded = async (): Promise<string> => {
  const task = await worker.aTask('a kite');
  await worker.producer.wake('video.advance', task.id);
  return (await worker.until(task.id, 'succeeded')).id;
};
const fast = {
  RETENTION_SWEEP_MS: 200,
  STORAGE_SWEEP_MS: 200,
  STORAGE_SWEEP_AFTER_SECONDS: 60,
  STORAGE_SWEEP_UNKNOWN_AFTER_SECONDS: 60,
};

describe('the storage of two workers that sweep it', () => {
  it('loses what crashes have left, and never a file that a row names or may come to name', async () => {
    const stop = await worker.startWorker();
    const video = await succeeded();
    const running = await worker.aTask('x', {
      vendor: {
        provider: 'other',
        kind: 'ark',
        baseUrl: 'http://127.0.0.1:9/api/v3',
        credentialId: 'test',
        upstreamModel: 'x',
        taskId: null,
      },
    });
    const kept = (await createTaskReads(worker.database).findMedia(video, 'content'))!.storageKey;
    const twoMinutesAgo = new Date(Date.now() - 120_000);
    const leave = async (file: string, when = twoMinutesAgo): Promise<void> => {
      const at = path.join(worker.storageDir, file);
      await mkdir(path.dirname(at), { recursive: true });
      await writeFile(at, 'left');
      await utimes(at, when, when);
    };
    await utimes(path.join(worker.storageDir, kept), twoMinutesAgo, twoMinutesAgo);
    const stays = [
      `videos/${running.id}-2.mp4`,
      'videos/not-ours.mp4',
      `assets/${video}-1`,
      `inputs/${running.id}-0`,
    ];
    const goes = [
      `videos/${video}-1.mp4`,
      `videos/${newId('task')}-3.mp4`,
      `frames/${video}-1`,
      `inputs/${newId('task')}-0`,
      '.unfinished/half',
    ];
    for (const file of [...stays, ...goes]) await leave(file);
    await leave(`videos/${newId('task')}-9.mp4`, new Date()); // young
    await leave('.unfinished/under-way', new Date());

    await Promise.all([worker.startWorker(fast), worker.startWorker(fast)]);

    await eventually(async () => {
      expect(await filesIn('.unfinished')).toEqual(['under-way']);
      expect(await filesIn('frames')).toEqual([]);
      expect(await filesIn('inputs')).toEqual([`${running.id}-0`]);
    });
    expect(await filesIn('videos')).toHaveLength(4);
    expect(await filesIn('videos')).toEqual(
      expect.arrayContaining([path.basename(kept), `${running.id}-2.mp4`, 'not-ours.mp4']),
    );
    expect(await filesIn('assets')).toEqual([`${video}-1`]);
    await stop();
  });

  it('loses a video after its retention time, once, and the row says so', async () => {
    const [over, within] = [await succeeded(), await succeeded()];
    await createHolds(worker.database).settle(over);
    await worker.database.pool.query(
      `UPDATE task SET completed_at = completed_at - retention_days * interval '1 day' WHERE id = $1`,
      [over],
    );

    await eventually(async () => {
      expect((await filesIn('videos')).filter((name) => name.includes(over))).toEqual([]);
      const { rows } = await worker.database.pool.query(
        'SELECT removed_at IS NOT NULL AS removed FROM media WHERE task_id = $1',
        [over],
      );
      expect(rows).toEqual([{ removed: true }]);
    });

    expect((await worker.find(over)).mediaPurgedAt).toEqual(expect.any(Date));
    expect((await worker.find(within)).mediaPurgedAt).toBeNull();
    expect((await filesIn('videos')).filter((name) => name.includes(within))).toHaveLength(1);
    expect(worker.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
