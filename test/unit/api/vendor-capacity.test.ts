import { describe, expect, it } from '@jest/globals';
import { createVendorCapacity } from '../../../services/api/src/adapters/vendor-capacity.ts';

/** A vendor with ten slots, and a clock that stands still. */
function stage() {
  const state = { now: 1_000, taken: 10, asked: 0, isAway: false };
  const mayHaveSlot = createVendorCapacity({
    now: () => state.now,
    slotsTaken: () => {
      state.asked += 1;
      return state.isAway ? Promise.reject(new Error('away')) : Promise.resolve(state.taken);
    },
  });
  const look = async (): Promise<boolean> => {
    const may = mayHaveSlot({ provider: 'vendor', maxConcurrent: 10 });
    await new Promise(setImmediate);
    return may;
  };
  return { state, look };
}

describe('a free slot at a vendor', () => {
  it('is there until the first count has come, and then as the count says', async () => {
    const { look } = stage();
    expect([await look(), await look()]).toEqual([true, false]);
  });

  it('is there again once a count of fewer slots has come', async () => {
    const { state, look } = stage();
    await look();
    state.taken = 9;
    state.now += 300;

    expect([await look(), await look()]).toEqual([false, true]);
  });

  it('is counted once in a quarter of a second, however many ask', async () => {
    const { state, look } = stage();
    for (let at = 0; at < 100; at += 1) await look();
    expect(state.asked).toBe(1);
  });

  it('is there when the last count is more than a second old', async () => {
    const { state, look } = stage();
    await look();
    state.now += 1_001;

    expect(await look()).toBe(true);
  });

  it('is there when the database does not respond', async () => {
    const { state, look } = stage();
    await look();
    state.isAway = true;
    state.now += 300;

    expect([await look(), await look()]).toEqual([false, true]);
  });
});
