import { describe, expect, it } from '@jest/globals';
import { createSweepDue } from '../../../services/callback-dispatcher/src/use-cases/sweep-due.ts';

/** What is due, by account, as the store shows it. */
function sweepOver(
  due: Readonly<Record<string, readonly string[]>>,
  { asked = [] }: { readonly asked?: string[] } = {},
) {
  const hurried: string[] = [];
  const woken: string[] = [];
  const sweep = createSweepDue({
    findDue: ({ after, accounts, perAccount }) =>
      Promise.resolve(
        Object.entries(due)
          .filter(([accountId]) => accountId > after)
          .slice(0, accounts)
          .map(([accountId, callbackIds]) => ({
            accountId,
            callbackIds: callbackIds.slice(0, perAccount),
          })),
      ),
    wakeAll: (callbackIds) => {
      woken.push(...callbackIds);
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
const ids = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}_${String(index).padStart(6, '0')}`);

describe('a round of the reconciler', () => {
  it('wakes everything that is due of a few accounts', async () => {
    const due = { acct_1: ids('one', 2_500), acct_2: ids('two', 5) };
    const { sweep, woken } = sweepOver(due);

    await sweep();

    expect(new Set(woken)).toEqual(new Set(Object.values(due).flat()));
  });

  it('wakes a few of every account before more of any', async () => {
    const { sweep, woken } = sweepOver({ acct_1: ids('one', 100_000), acct_2: ids('two', 1) });

    await sweep();

    expect(woken.indexOf('two_000000')).toBeLessThan(20);
    expect(new Set(woken).size).toBe(10_001);
  });

  it('goes no deeper than one round allows, and reaches every account, over many pages', async () => {
    const due = Object.fromEntries(
      ids('acct', 2_500).map((accountId) => [accountId, ids(accountId, 50)]),
    );
    const { sweep, woken } = sweepOver(due);

    await sweep();

    expect(new Set(woken).size).toBe(25_000);
  });

  it('hurries what a redelivery was asked for', async () => {
    const { sweep, hurried } = sweepOver({}, { asked: ['video_1', 'video_2'] });

    await sweep();

    expect(hurried).toEqual(['video_1', 'video_2']);
  });

  it('begins anew after one whose waking failed', async () => {
    const asked: string[] = [];
    const sweep = createSweepDue({
      findDue: ({ after }) => {
        asked.push(after);
        return Promise.resolve([{ accountId: 'acct_1', callbackIds: ['video_1'] }]);
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
