import { describe, expect, it } from '@jest/globals';
import type { Removal } from '@gateway/media';
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
  outcome = () => 'gone',
}: {
  due: number;
  outcome?: (key: string) => Removal;
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
    removeFile: (key) => {
      const removal = outcome(key);
      if (removal === 'gone') said.push(`deleted ${key}`);
      return Promise.resolve(removal);
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

  it('removes the other files when one cannot be removed, and notes only what is gone', async () => {
    const { purge, removed } = stage({
      due: 3,
      outcome: (key) => (key.endsWith('-1') ? 'left' : 'gone'),
    });

    await purge();

    expect([...removed]).toEqual(['task-0', 'task-2']);
  });

  it('comes to the files behind more than a batch of those that can never be removed', async () => {
    const { purge, removed } = stage({
      due: purgeBatch + 47,
      outcome: (key) => (Number(key.split('-')[1]) < purgeBatch + 45 ? 'left' : 'gone'),
    });

    await purge();

    expect([...removed]).toEqual([`task-${purgeBatch + 45}`, `task-${purgeBatch + 46}`]);
  });

  it('takes every file out of service also while the storage takes no deletions, and asks it once', async () => {
    let asked = 0;
    const { purge, counts } = stage({
      due: purgeBatch * 2 + 1,
      outcome: () => {
        asked += 1;
        return 'paused';
      },
    });

    await purge();

    expect([asked, counts]).toEqual([1, [purgeBatch, purgeBatch, 1]]);
  });
});
