import { describe, expect, it } from '@jest/globals';
import { createSweepDue } from '../../../services/callback-dispatcher/src/use-cases/sweep-due.ts';

/** What is due, walked page by page as the store does it. */
function sweepOver(due: readonly string[], asked: string[] = []) {
  const hurried: string[] = [];
  const woken: string[] = [];
  const sweep = createSweepDue({
    findDue: ({ after, limit }) => Promise.resolve(due.filter((id) => id > after).slice(0, limit)),
    wakeAll: (taskIds) => {
      woken.push(...taskIds);
      return Promise.resolve();
    },
    findAsked: () => Promise.resolve(asked),
    hurry: (taskId) => {
      hurried.push(taskId);
      return Promise.resolve();
    },
  });
  return { sweep, woken, hurried };
}
const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `video_${String(index).padStart(6, '0')}`);

describe('a round of the reconciler', () => {
  it('wakes everything that is due, once, over as many pages as it takes', async () => {
    const due = ids(2_500);
    const { sweep, woken } = sweepOver(due);

    await sweep();

    expect(woken).toEqual(due);
  });

  it('is bounded; the next one goes on where it ended, and then from the start', async () => {
    const due = ids(12_000);
    const { sweep, woken } = sweepOver(due);

    await sweep();
    expect(woken).toEqual(due.slice(0, 10_000));

    await sweep();
    expect(woken).toEqual(due);

    await sweep();
    expect(woken.slice(12_000)).toEqual(due.slice(0, 10_000));
  });

  it('hurries what a redelivery was asked for', async () => {
    const { sweep, hurried } = sweepOver([], ['video_1', 'video_2']);

    await sweep();

    expect(hurried).toEqual(['video_1', 'video_2']);
  });

  it('does not skip a page whose waking failed', async () => {
    const asked: string[] = [];
    const sweep = createSweepDue({
      findDue: ({ after }) => {
        asked.push(after);
        return Promise.resolve(['video_1']);
      },
      findAsked: () => Promise.resolve([]),
      hurry: () => Promise.resolve(),
      wakeAll: () => Promise.reject(new Error('redis is away')),
    });

    await expect(sweep()).rejects.toThrow('redis is away');
    await expect(sweep()).rejects.toThrow('redis is away');

    expect(asked).toEqual(['', '']);
  });
});
