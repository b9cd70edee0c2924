import { describe, expect, it } from '@jest/globals';
import { createSeenKeys, type Ownership } from '@gateway/media';
import { mayDelete } from '../../../services/video-worker/src/use-cases/judge-sweep.ts';
import {
  createSweepStorage,
  type SweepStop,
  type SweepStorageLimits,
  type SweptStorage,
} from '../../../services/video-worker/src/use-cases/sweep-storage.ts';

const now = 1_000_000_000;
const old = new Date(now - 60_001);
const young = new Date(now - 60_000);
const veryOld = new Date(now - 600_001);

interface Scene {
  readonly files: Readonly<Record<string, Date>>;
  readonly orphans: readonly string[];
  /** Those of them whose task is not known. */
  readonly unknown?: readonly string[];
  readonly owner?: Ownership;
  readonly allowedFiles?: number;
  readonly limits?: Partial<SweepStorageLimits>;
  /** Files that rows name. */
  readonly named?: readonly string[];
  readonly removal?: (key: string) => 'gone' | 'left' | 'paused';
}

function stage({
  files,
  orphans,
  unknown = [],
  owner = { kind: 'ours' },
  allowedFiles,
  limits = {},
  named = [],
  removal = () => 'gone',
}: Scene) {
  const deleted: string[] = [];
  const asked: string[][] = [];
  const counts: Record<string, number> = {};
  const swept: Date[] = [];
  const missing: string[] = [];
  const rounds: [SweptStorage, SweepStop | undefined][] = [];
  const sweep = createSweepStorage({
    async *list(folder) {
      await Promise.resolve();
      for (const [key, modifiedAt] of Object.entries(files)) {
        if (key.startsWith(`${folder}/`)) yield { key, modifiedAt };
      }
    },
    findOrphans: (keys) => {
      asked.push([...keys]);
      return Promise.resolve(
        keys
          .filter((key) => orphans.includes(key))
          .map((key) => ({ key, isOfKnownTask: !unknown.includes(key) })),
      );
    },
    checkOwner: () => Promise.resolve(owner),
    sweepAllowance: () =>
      Promise.resolve(
        allowedFiles === undefined ? undefined : { files: allowedFiles, until: new Date(now) },
      ),
    removeFile: (key) => {
      const outcome = removal(key);
      if (outcome === 'gone') deleted.push(key);
      return Promise.resolve(outcome);
    },
    newSeenKeys: createSeenKeys,
    findMissing: (seen) =>
      Promise.resolve(named.filter((key) => !seen.mayHave(key)).map((key) => ({ id: 'x', key }))),
    onMissing: (found) => {
      missing.push(...found.map(({ key }) => key));
    },
    sweepUnfinished: (before) => {
      swept.push(before);
      return Promise.resolve(2);
    },
    onRemoved: (kind, count) => {
      counts[kind] = (counts[kind] ?? 0) + count;
    },
    onRound: (found, stop) => {
      rounds.push([found, stop]);
    },
    now: () => now,
    limits: {
      afterMs: 60_000,
      unknownAfterMs: 600_000,
      maxPercent: 1,
      maxFiles: 10_000,
      ...limits,
    },
  });
  return { sweep, deleted, asked, counts, swept, rounds, missing };
}

const many = (count: number, folder = 'videos'): string[] =>
  Array.from({ length: count }, (_unused, index) => `${folder}/${index}`);
const allOld = (keys: readonly string[]): Record<string, Date> =>
  Object.fromEntries(keys.map((key) => [key, old]));

describe('sweeping the storage', () => {
  it('removes old files that no row names, in every folder of tasks, and counts them', async () => {
    const { sweep, deleted, counts, swept, rounds } = stage({
      files: { 'videos/a': old, 'frames/b': old, 'inputs/c': old, 'videos/kept': old },
      orphans: ['videos/a', 'frames/b', 'inputs/c'],
    });

    await sweep();

    expect(deleted).toEqual(['videos/a', 'frames/b', 'inputs/c']);
    expect(counts).toEqual({ orphan: 3, unfinished: 2 });
    expect(swept).toEqual([new Date(now - 60_000)]);
    expect(rounds).toEqual([[{ files: 4, due: 3, unknown: 0 }, undefined]]);
  });

  it('does not even ask about young files, nor about folders of others', async () => {
    const { sweep, deleted, asked } = stage({
      files: { 'videos/a': young, 'assets/b': old },
      orphans: ['videos/a', 'assets/b'],
    });

    await sweep();

    expect([deleted, asked]).toEqual([[], []]);
  });

  it('asks about so many at a time', async () => {
    const { sweep, asked } = stage({ files: allOld(many(1_100)), orphans: [] });

    await sweep();

    expect(asked.map((keys) => keys.length)).toEqual([500, 500, 100]);
  });

  it('leaves a file whose task is unknown for longer, and counts it', async () => {
    const { sweep, deleted, rounds } = stage({
      files: { 'videos/a': old, 'videos/b': veryOld },
      orphans: ['videos/a', 'videos/b'],
      unknown: ['videos/a', 'videos/b'],
    });

    await sweep();

    expect(deleted).toEqual(['videos/b']);
    expect(rounds).toEqual([[{ files: 2, due: 1, unknown: 2 }, undefined]]);
  });

  it.each<Ownership>([
    { kind: 'unclaimed', sample: { files: 1, known: 0 } },
    { kind: 'foreign', owner: 'x' },
  ])('removes nothing, not even what is unfinished, in a storage that is $kind', async (owner) => {
    const { sweep, deleted, swept, rounds } = stage({
      files: { 'videos/a': old },
      orphans: ['videos/a'],
      owner,
    });

    await sweep();

    expect([deleted, swept]).toEqual([[], []]);
    expect(rounds).toEqual([[{ files: 1, due: 1, unknown: 0 }, owner.kind]]);
  });

  it('removes none of so many files that a crash cannot have left them', async () => {
    const { sweep, deleted, rounds } = stage({ files: allOld(many(1_000)), orphans: many(21) });

    await sweep();

    expect(deleted).toEqual([]);
    expect(rounds).toEqual([[{ files: 1_000, due: 21, unknown: 0 }, 'too_many']]);
  });

  it('removes them once the operator has allowed so many', async () => {
    const { sweep, deleted } = stage({
      files: allOld(many(1_000)),
      orphans: many(21),
      allowedFiles: 21,
    });

    await sweep();

    expect(deleted).toHaveLength(21);
  });

  it('removes at most so many files in one round', async () => {
    const { sweep, deleted, rounds } = stage({
      files: allOld(many(20)),
      orphans: many(20),
      limits: { maxFiles: 7 },
    });

    await sweep();

    expect(deleted).toHaveLength(7);
    expect(rounds[0]?.[0].due).toBe(20);
  });

  it('tells which files that rows name are missing, young ones and assets too, also where it is stopped', async () => {
    const { sweep, missing } = stage({
      files: { 'videos/a': young, 'frames/b': old, 'assets/c': young, ...allOld(many(30)) },
      orphans: many(30),
      named: ['videos/a', 'frames/b', 'assets/c', 'videos/gone', 'assets/gone'],
    });

    await sweep();

    expect(missing).toEqual(['videos/gone', 'assets/gone']);
  });

  it('goes on behind a file that cannot be removed, and ends when the storage takes no deletions', async () => {
    const { sweep, deleted, counts } = stage({
      files: allOld(many(5)),
      orphans: many(5),
      removal: (key) => (key === 'videos/0' ? 'left' : key === 'videos/3' ? 'paused' : 'gone'),
    });

    await sweep();

    expect(deleted).toEqual(['videos/1', 'videos/2']);
    expect(counts['orphan']).toBe(2);
  });
});

describe('how many files a sweep may delete', () => {
  it.each([
    [{ files: 0, due: 0 }, { maxPercent: 0, allowedFiles: 0 }, true],
    [{ files: 20, due: 20 }, { maxPercent: 0, allowedFiles: 0 }, true],
    [{ files: 21, due: 21 }, { maxPercent: 1, allowedFiles: 0 }, false],
    [{ files: 1_000, due: 1_000 }, { maxPercent: 1, allowedFiles: 0 }, false],
    [{ files: 10_000, due: 100 }, { maxPercent: 1, allowedFiles: 0 }, true],
    [{ files: 10_000, due: 101 }, { maxPercent: 1, allowedFiles: 0 }, false],
    [{ files: 10_000, due: 101 }, { maxPercent: 1, allowedFiles: 100 }, false],
    [{ files: 10_000, due: 101 }, { maxPercent: 1, allowedFiles: 101 }, true],
    [{ files: 10_000, due: 10_000 }, { maxPercent: 100, allowedFiles: 0 }, true],
  ])('of %j with %j: %s', (finding, limits, expected) => {
    expect(mayDelete(finding, limits)).toBe(expected);
  });
});
