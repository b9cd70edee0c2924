import { describe, expect, it } from '@jest/globals';
import { lowestIdAt } from '@gateway/domain';
import { newTypeId } from '@gateway/runtime';

describe('the lowest id at a moment', () => {
  it.each([0, 1, 31, 32, 1_769_817_600_000, 2 ** 48 - 2])(
    '(%i ms) stands behind every earlier id and before every id from then on',
    (ms) => {
      const lowest = lowestIdAt('task', ms);

      expect(newTypeId('video', ms).startsWith(lowest)).toBe(true);
      expect(newTypeId('video', ms) > lowest).toBe(true);
      expect(lowestIdAt('task', ms + 1) > newTypeId('video', ms)).toBe(true);
    },
  );

  it('of a moment that no id can have is the nearest there is', () => {
    expect(lowestIdAt('task', -5)).toBe(lowestIdAt('task', 0));
    expect(lowestIdAt('task', 2 ** 50)).toBe(lowestIdAt('task', 2 ** 48 - 1));
  });
});
