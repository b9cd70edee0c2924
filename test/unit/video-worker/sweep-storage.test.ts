import { describe, expect, it } from '@jest/globals';
import {
  createSweepStorage,
  type SweepStoragePorts,
} from '../../../services/video-worker/src/use-cases/sweep-storage.ts';

const now = 1_000_000_000;
const old = new Date(now - 60_001);
const young = new Date(now - 60_000);

function stage(files: Readonly<Record<string, Date>>, orphans: readonly string[]) {
  const deleted: string[] = [];
  const asked: string[][] = [];
  const counts: Record<string, number> = { orphan: 0, unfinished: 0 };
  const swept: Date[] = [];
  const ports: SweepStoragePorts = {
    async *list(folder) {
      await Promise.resolve();
      for (const [key, modifiedAt] of Object.entries(files)) {
        if (key.startsWith(`${folder}/`)) yield { key, modifiedAt };
      }
    },
    findOrphans: (keys) => {
      asked.push([...keys]);
      return Promise.resolve(keys.filter((key) => orphans.includes(key)));
    },
    deleteFile: (key) => {
      deleted.push(key);
      return Promise.resolve();
    },
    sweepUnfinished: (before) => {
      swept.push(before);
      return Promise.resolve(2);
    },
    onRemoved: (kind, count) => {
      counts[kind] = (counts[kind] ?? 0) + count;
    },
    now: () => now,
    olderThanMs: 60_000,
  };
  return { sweep: createSweepStorage(ports), deleted, asked, counts, swept };
}

describe('sweeping the storage', () => {
  it('removes old files that no row names, in every folder of tasks, and counts them', async () => {
    const { sweep, deleted, counts, swept } = stage(
      { 'videos/a': old, 'frames/b': old, 'inputs/c': old, 'videos/kept': old },
      ['videos/a', 'frames/b', 'inputs/c'],
    );

    await sweep();

    expect(deleted).toEqual(['videos/a', 'frames/b', 'inputs/c']);
    expect(counts).toEqual({ orphan: 3, unfinished: 2 });
    expect(swept).toEqual([new Date(now - 60_000)]);
  });

  it('does not even ask about young files, nor about folders of others', async () => {
    const { sweep, deleted, asked } = stage({ 'videos/a': young, 'assets/b': old }, [
      'videos/a',
      'assets/b',
    ]);

    await sweep();

    expect([deleted, asked]).toEqual([[], []]);
  });

  it('asks about so many at a time', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1_100 }, (_unused, index) => [`videos/${index}`, old]),
    );
    const { sweep, asked } = stage(files, []);

    await sweep();

    expect(asked.map((keys) => keys.length)).toEqual([500, 500, 100]);
  });
});
