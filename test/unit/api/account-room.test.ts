import { describe, expect, it } from '@jest/globals';
import { createAccountRoom } from '../../../services/api/src/adapters/account-room.ts';

/** Accounts with so many unfinished videos, and a clock that stands still. */
function stage(active: Record<string, number>) {
  const state = { nowMs: 5_000, asked: [] as string[], active };
  const room = createAccountRoom({
    nowMs: () => state.nowMs,
    countActive: (accountId) => {
      state.asked.push(accountId);
      return Promise.resolve(state.active[accountId] ?? 0);
    },
  });
  return { state, room };
}

describe('room for one more unfinished video', () => {
  it('is there while there are fewer than the account may have', async () => {
    const { room } = stage({ a: 99, b: 100 });
    expect([await room('a', 100), await room('b', 100)]).toEqual([true, false]);
  });

  it('is not asked for again for a quarter of a second when there is plenty, and of each account by itself', async () => {
    const { state, room } = stage({ a: 899, b: 1_000 });
    await room('a', 1_000);
    state.nowMs += 249;
    expect([await room('a', 1_000), await room('b', 1_000)]).toEqual([true, false]);
    expect(state.asked).toEqual(['a', 'b']);

    state.nowMs += 1;
    state.active['a'] = 1_000;
    expect(await room('a', 1_000)).toBe(false);
  });

  it('is asked for each time when there is little or none, and seen as soon as it is there', async () => {
    const { state, room } = stage({ a: 900 });
    await room('a', 1_000);
    state.active['a'] = 1_000;
    expect(await room('a', 1_000)).toBe(false);
    state.active['a'] = 999;
    expect(await room('a', 1_000)).toBe(true);
    expect(state.asked).toEqual(['a', 'a', 'a']);
  });
});
