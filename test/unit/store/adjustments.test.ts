import { describe, expect, it } from '@jest/globals';
import { expectedAfter, judgeAdjustment } from '@gateway/store';

const balance = (balanceQuota: number, heldQuota = 0, debtQuota = 0) => ({
  balanceQuota,
  heldQuota,
  availableQuota: balanceQuota - heldQuota,
  debtQuota,
});
const most = Number.MAX_SAFE_INTEGER;

describe('an adjustment', () => {
  it.each([
    [balance(10), -10, {}, 'adjusted'],
    [balance(10), -11, {}, 'insufficient'],
    [balance(10, 4), -6, {}, 'adjusted'],
    [balance(10, 4), -7, {}, 'insufficient'],
    [balance(10, 0, 1), -1, {}, 'insufficient'],
    [balance(10, 0, 1), 1, {}, 'adjusted'],
    [balance(0), 1, {}, 'adjusted'],
    [balance(0), -1, {}, 'insufficient'],
    [balance(most - 1), 1, {}, 'adjusted'],
    [balance(most), 1, {}, 'too_much'],
    [balance(0), -1, { isKnown: true }, 'reused'],
    [balance(5), -1, { hasTask: false }, 'unknown_task'],
    [balance(5), -1, { hasTask: false, isKnown: true }, 'reused'],
  ] as const)('of %j by %i is judged: %j %s', (before, quota, more, outcome) => {
    const asked = { adjustment: { quota }, before, isKnown: false, hasTask: true, ...more };

    expect(judgeAdjustment(asked)).toBe(outcome);
  });

  it.each([
    [balance(10, 4), -6, balance(4, 4)],
    [balance(10, 4), 6, balance(16, 4)],
    [balance(4, 4, 10), 6, balance(4, 4, 4)],
    [balance(4, 4, 10), 16, balance(10, 4, 0)],
  ])('of %j by %i leads to %j', (before, quota, after) => {
    expect(expectedAfter(before, quota)).toEqual(after);
  });
});
