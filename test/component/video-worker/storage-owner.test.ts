import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { createHolds, createInstallation } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { openWorker, type WorkerUnderTest } from './harness.ts';

let worker: WorkerUnderTest;
beforeEach(async () => {
  worker = await openWorker();
});
afterEach(async () => {
  await worker.close();
});

const fast = {
  RETENTION_SWEEP_MS: 200,
  STORAGE_SWEEP_MS: 200,
  STORAGE_SWEEP_AFTER_SECONDS: 60,
  STORAGE_SWEEP_UNKNOWN_AFTER_SECONDS: 60,
};
const ownerFile = (): string => path.join(worker.storageDir, 'installation.json');
const videos = async (): Promise<string[]> =>
  readdir(path.join(worker.storageDir, 'videos')).catch(() => []);
const stopsTold = (): unknown[] =>
  worker.log.lines
    .filter(({ message }) => message.startsWith('the sweep of the storage deletes nothing'))
    .map(({ fields }) => (fields as { reason?: unknown }).reason);

/** Videos of tasks that this database has never heard of, long past every age that is waited for. */
async function leaveVideos(count: number): Promise<void> {
  const aside = path.join(worker.storageDir, 'aside');
  await mkdir(aside, { recursive: true });
  const long = new Date(Date.now() - 100 * 86_400_000);
  for (let left = 0; left < count; left += 1) {
    const file = path.join(aside, `${newId('task')}-3.mp4`);
    await writeFile(file, 'a video');
    await utimes(file, long, long);
  }
  await rename(aside, path.join(worker.storageDir, 'videos')); // all at once
}

describe('a worker on a database that is not the storage’s', () => {
  it('refuses to start, says what to do, and deletes nothing', async () => {
    await leaveVideos(50);
    await writeFile(ownerFile(), JSON.stringify({ installation: newId('task') }));

    await expect(worker.startWorker(fast)).rejects.toThrow(
      /^the media storage belongs to another installation .*npm run admin -- storage adopt$/,
    );

    expect(await videos()).toHaveLength(50);
  });

  it('starts and sweeps nothing where no owner is named and the files are unknown, until it is adopted', async () => {
    await leaveVideos(15);
    await worker.startWorker(fast);
    await eventually(() => {
      expect(stopsTold()).toContain('unclaimed');
    });
    expect(await videos()).toHaveLength(15);

    const id = await createInstallation(worker.database).id();
    await writeFile(ownerFile(), JSON.stringify({ installation: id }));

    await eventually(async () => {
      expect(await videos()).toEqual([]);
    });
  });

  it('leaves a thousand videos of an emptied database alone, until the operator allows it', async () => {
    await worker.startWorker(fast);
    await eventually(async () => {
      expect(JSON.parse(await readFile(ownerFile(), 'utf8'))).toEqual({
        installation: await createInstallation(worker.database).id(),
      });
    });

    await leaveVideos(1_000);

    await eventually(() => {
      expect(stopsTold()).toContain('too_many');
    });
    expect(await videos()).toHaveLength(1_000);
    await createInstallation(worker.database).allowSweep(1_000, 24);
    await eventually(async () => {
      expect(await videos()).toEqual([]);
    });
  });
});

describe('a video whose file is gone', () => {
  it('is told with its task', async () => {
    await worker.startWorker(fast);
    const task = await worker.aTask('a kite');
    await worker.producer.wake('video.advance', task.id);
    await worker.until(task.id, 'succeeded');
    expect(await videos()).toHaveLength(1);

    await rm(path.join(worker.storageDir, 'videos'), { recursive: true });

    await eventually(() => {
      expect(
        worker.log.lines.find(({ message }) => message.startsWith('files that rows name'))?.fields,
      ).toMatchObject({ count: 1, first: [task.id] });
    });
  });
});

describe('a file that cannot be deleted', () => {
  it('keeps its row and no other file waiting, and is told once', async () => {
    await worker.startWorker(fast);
    const finish = async (): Promise<string> => {
      const task = await worker.aTask('a kite');
      await worker.producer.wake('video.advance', task.id);
      return (await worker.until(task.id, 'succeeded')).id;
    };
    const ids = [await finish(), await finish()];
    const keys = await Promise.all(ids.map(async (id) => (await keyOf(id)) ?? ''));
    const [stuck = '', other = ''] = keys.map((key) => path.join(worker.storageDir, key));
    // nothing deletes a folder that is in the place of a file
    await rm(stuck);
    await mkdir(path.join(stuck, 'full'), { recursive: true });
    for (const id of ids) await createHolds(worker.database).settle(id);
    await worker.database.pool.query(
      `UPDATE task SET completed_at = completed_at - retention_days * interval '1 day' - (id = $1)::int * interval '1 hour'`,
      [ids[0]],
    );

    await eventually(async () => {
      expect(await removed()).toEqual([ids[1]]);
    });

    await expect(readFile(other)).rejects.toMatchObject({ code: 'ENOENT' });
    const told = worker.log.lines.filter(({ message }) => message.startsWith('file not deleted'));
    expect(told).toHaveLength(1);
    expect(told[0]?.fields).toMatchObject({ key: keys[0] });
    expect(worker.log.lines.filter(({ message }) => message === 'periodic work failed')).toEqual(
      [],
    );
  });

  const keyOf = async (taskId: string): Promise<string | undefined> =>
    (
      await worker.database.pool.query<{ key: string }>(
        'SELECT storage_key AS key FROM media WHERE task_id = $1',
        [taskId],
      )
    ).rows[0]?.key;
  const removed = async (): Promise<string[]> =>
    (
      await worker.database.pool.query<{ id: string }>(
        'SELECT task_id AS id FROM media WHERE removed_at IS NOT NULL',
      )
    ).rows.map(({ id }) => id);
});
