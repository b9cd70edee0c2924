import { describe, expect, it } from '@jest/globals';
import { shortest } from '../../simulation/shrink.ts';

const oneToTwenty = Array.from({ length: 20 }, (_, index) => index + 1);

describe('the shortest list that still fails', () => {
  it.each([
    { needed: [], left: [] },
    { needed: [7], left: [7] },
    { needed: [1, 20], left: [1, 20] },
    { needed: [3, 4, 11, 19], left: [3, 4, 11, 19] },
  ])('has nothing but $needed', async ({ needed, left }) => {
    const found = await shortest(oneToTwenty, (items) =>
      Promise.resolve(needed.every((one) => items.includes(one))),
    );

    expect(found).toEqual(left);
  });

  it('leaves out what can go only after something else has gone', async () => {
    const found = await shortest([1, 2, 3], (items) =>
      Promise.resolve(items.includes(3) && (items.includes(1) || !items.includes(2))),
    );

    expect(found).toEqual([3]);
  });
});
