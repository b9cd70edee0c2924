import { describe, expect, it } from '@jest/globals';
import { nothingSettled, settledWith, type SettledEvents } from '@gateway/domain';

describe('the events that nothing can appear before any more', () => {
  it.each<[string, readonly (readonly [at: number, newest: number])[], number, number]>([
    ['none as long as nobody has looked for 15 seconds', [[0, 10]], 0, 1],
    [
      'none before the first look is 15 seconds old',
      [
        [0, 10],
        [14_999, 20],
      ],
      0,
      2,
    ],
    [
      'those of the first look then',
      [
        [0, 10],
        [15_000, 20],
      ],
      10,
      2,
    ],
    [
      'those of the last look that is old enough, which alone is remembered of the old',
      [
        [0, 10],
        [1, 11],
        [2, 12],
        [15_001, 20],
      ],
      11,
      3,
    ],
  ])('are %s', (_case, looks, upTo, remembered) => {
    const settled = looks.reduce<SettledEvents>(
      (known, [at, newest]) => settledWith(known, { at, newest }),
      nothingSettled,
    );

    expect(settled.upTo).toBe(upTo);
    expect(settled.marks).toHaveLength(remembered);
  });
});
