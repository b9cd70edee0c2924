import { describe, expect, it } from '@jest/globals';
import { backoffDelayMs } from '@gateway/domain';

describe('the spacing of a failing step', () => {
  const backoff = { firstMs: 1_000, maxMs: 60_000 };

  it.each([
    [0, 1_000],
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [6, 32_000],
    [7, 60_000],
    [31, 60_000],
    [5_000, 60_000],
  ])('after %d failures is %d ms', (failures, delayMs) => {
    expect(backoffDelayMs(backoff, failures, 0.5)).toBe(delayMs);
  });

  it.each([
    [0, 800],
    [0.25, 900],
    [0.5, 1_000],
    [0.999_999, 1_200],
  ])('moves by up to a fifth either way: random %d makes 1000 ms %d ms', (random, delayMs) => {
    expect(backoffDelayMs(backoff, 1, random)).toBe(delayMs);
  });

  it('stays a number of milliseconds however long the failures last', () => {
    expect(backoffDelayMs({ firstMs: 1, maxMs: Number.MAX_VALUE }, 10_000, 0.5)).toBe(2 ** 30);
  });
});
