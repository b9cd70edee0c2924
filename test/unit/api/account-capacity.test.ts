import { describe, expect, it } from '@jest/globals';
import { createAccountCapacity } from '../../../services/api/src/adapters/account-capacity.ts';

/** Accounts with so many unfinished videos, and a clock that stands still. */
function stage(active: Record<string, number>) {
  const state = { nowMs: 5_000, asked: [] as string[], active };
  const hasCapacity = createAccountCapacity({
    nowMs: () => state.nowMs,
    countActive: (accountId) => {
      state.asked.push(accountId);
      return Promise.resolve(state.active[accountId] ?? 0);
    },
  });
  return { state, hasCapacity };
}

describe('capacity for one more unfinished video', () => {
  it('is there while there are fewer than the account may have', async () => {
    const { hasCapacity } = stage({ a: 99, b: 100 });
    expect([await hasCapacity('a', 100), await hasCapacity('b', 100)]).toEqual([true, false]);
  });

  it('is not asked for again for a quarter of a second when there is plenty, and of each account by itself', async () => {
    const { state, hasCapacity } = stage({ a: 899, b: 1_000 });
    await hasCapacity('a', 1_000);
    state.nowMs += 249;
    expect([await hasCapacity('a', 1_000), await hasCapacity('b', 1_000)]).toEqual([true, false]);
    expect(state.asked).toEqual(['a', 'b']);

    state.nowMs += 1;
    state.active['a'] = 1_000;
    expect(await hasCapacity('a', 1_000)).toBe(false);
  });

  it('is asked for each time when there is little or none, and seen as soon as it is there', async () => {
    const { state, hasCapacity } = stage({ a: 900 });
    await hasCapacity('a', 1_000);
    state.active['a'] = 1_000;
    expect(await hasCapacity('a', 1_000)).toBe(false);
    state.active['a'] = 999;
    expect(await hasCapacity('a', 1_000)).toBe(true);
    expect(state.asked).toEqual(['a', 'a', 'a']);
  });
});
