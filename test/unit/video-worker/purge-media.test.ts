import { describe, expect, it } from '@jest/globals';
import {
  createPurgeMedia,
  purgeBatch,
} from '../../../services/video-worker/src/use-cases/purge-media.ts';

const fileOf = (taskId: string) => ({
  taskId,
  variant: 'content' as const,
  storageKey: `videos/${taskId}`,
  purgedAt: new Date(0),
});

/** Tasks that are due, over a storage that may refuse. */
function stage({
  due,
  refuses = () => false,
}: {
  due: number;
  refuses?: (key: string) => boolean;
}) {
  let waiting = Array.from({ length: due }, (_unused, index) => `task-${index}`);
  const purged: string[] = [];
  const said: string[] = [];
  const removed = new Set<string>();
  const counts: number[] = [];
  const purge = createPurgeMedia({
    purgeDue: (limit) => {
      const taken = waiting.slice(0, limit);
      waiting = waiting.slice(limit);
      purged.push(...taken);
      said.push(...taken.map((id) => `purged ${id}`));
      return Promise.resolve(taken);
    },
    findPurged: ({ limit, after }) =>
      Promise.resolve(
        purged
          .slice(after === undefined ? 0 : purged.indexOf(after.taskId) + 1)
          .filter((id) => !removed.has(id))
          .slice(0, limit)
          .map(fileOf),
      ),
    deleteFile: (key) => {
      if (refuses(key)) return Promise.reject(new Error(`no ${key}`));
      said.push(`deleted ${key}`);
      return Promise.resolve();
    },
    noteRemoved: ({ taskId }) => {
      removed.add(taskId);
      said.push(`noted ${taskId}`);
      return Promise.resolve();
    },
    onPurged: (tasks) => {
      counts.push(tasks);
    },
  });
  return { purge, said, removed, counts };
}

describe('ending the retention time of media', () => {
  it('hides the file, then removes it, then notes that it is gone', async () => {
    const { purge, said } = stage({ due: 1 });

    await purge();

    expect(said).toEqual(['purged task-0', 'deleted videos/task-0', 'noted task-0']);
  });

  it('goes on until nothing is due', async () => {
    const { purge, removed, counts } = stage({ due: purgeBatch + 3 });

    await purge();

    expect(removed.size).toBe(purgeBatch + 3);
    expect(counts).toEqual([purgeBatch, 3]);
  });

  it('removes the other files when one cannot be removed, says so, and notes only what is gone', async () => {
    const { purge, removed } = stage({ due: 3, refuses: (key) => key.endsWith('-1') });

    await expect(purge()).rejects.toThrow('could not be removed');

    expect([...removed]).toEqual(['task-0', 'task-2']);
  });

  it('does not try every file of a storage that refuses them all', async () => {
    let tries = 0;
    const { purge } = stage({
      due: 100,
      refuses: () => {
        tries += 1;
        return true;
      },
    });

    await expect(purge()).rejects.toThrow(AggregateError);

    expect(tries).toBe(20);
  });

  it('comes to the files behind those that can never be removed, and tries these again', async () => {
    const tries: string[] = [];
    const { purge, removed } = stage({
      due: 47,
      refuses: (key) => {
        tries.push(key);
        return Number(key.split('-')[1]) < 45;
      },
    });

    for (let round = 0; round < 3; round += 1) {
      await expect(purge()).rejects.toThrow('could not be removed');
    }

    expect([...removed]).toEqual(['task-45', 'task-46']);
    await expect(purge()).rejects.toThrow('could not be removed');
    expect(tries.filter((key) => key === 'videos/task-0')).toHaveLength(2);
  });
});
