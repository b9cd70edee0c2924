import { describe, expect, it } from '@jest/globals';
import { createFileRemover } from '@gateway/media';

/** A storage that refuses what it is told to, with a clock that is moved by hand. */
function stage() {
  const refused = new Set<string>();
  const tried: string[] = [];
  const failures: [string, boolean][] = [];
  const clock = { now: 0 };
  const remover = createFileRemover({
    deleteFile: (key) => {
      tried.push(key);
      return refused.has(key) ? Promise.reject(new Error('no')) : Promise.resolve();
    },
    pauseMs: (times) => times * 1_000_000,
    now: () => clock.now,
    onFailure: ({ key, isFirst }) => failures.push([key, isFirst]),
  });
  return { ...remover, refused, tried, failures, clock };
}

const keys = (count: number): string[] =>
  Array.from({ length: count }, (_unused, index) => `videos/${index}`);

describe('removing files', () => {
  it('skips one that failed, and tries it again with growing pauses until it is gone', async () => {
    const { remove, stuck, refused, tried, failures, clock } = stage();
    refused.add('a');
    const outcomes: unknown[] = [];
    for (const at of [0, 999_999, 1_000_000, 2_999_999, 3_000_000]) {
      clock.now = at;
      outcomes.push(await remove('a'));
    }
    expect([outcomes, tried.length, stuck()]).toEqual([Array(5).fill('left'), 3, 1]);
    refused.delete('a');
    clock.now = 6_000_000;

    expect(await remove('a')).toBe('gone');

    expect(stuck()).toBe(0);
    expect(failures).toEqual([
      ['a', true],
      ['a', false],
      ['a', false],
    ]);
  });

  it('rests when the storage refuses twenty deletions in a row, and then goes on with others', async () => {
    const { remove, refused, tried, clock } = stage();
    for (const key of keys(100)) refused.add(key);

    const outcomes = [];
    for (const key of keys(25)) outcomes.push(await remove(key));

    expect(outcomes).toEqual([...Array(20).fill('left'), ...Array(5).fill('paused')]);
    expect(tried).toHaveLength(20);
    clock.now = 30_000;
    expect(await remove('videos/3')).toBe('left');
    expect(tried).toHaveLength(20);
    expect(await remove('videos/20')).toBe('left');
    expect(tried).toHaveLength(21);
  });

  it('does not rest because of files that fail now and then', async () => {
    const { remove, refused } = stage();
    for (const key of keys(100)) refused.add(key);

    for (const key of keys(100)) {
      expect(await remove(key)).toBe('left');
      expect(await remove('fine')).toBe('gone');
    }
  });

  it('forgets a file that nobody asks for any more', async () => {
    const { remove, stuck, refused, clock } = stage();
    refused.add('a');
    await remove('a');
    clock.now = 1_000_000 + 3_600_000;
    expect(stuck()).toBe(1);

    clock.now += 1;

    expect(stuck()).toBe(0);
  });
});
