import { describe, expect, it } from '@jest/globals';
import {
  longestPollDelayMs,
  needsBatchPolls,
  nextPollDelayMs,
  type NextPoll,
} from '@gateway/domain';

/** A look without jitter at a vendor with plenty of room. */
const aLook = (fields: Partial<NextPoll> = {}): NextPoll => ({
  pace: { firstSeconds: 3, maxSeconds: 30 },
  elapsedMs: 0,
  usualMs: undefined,
  liveTasks: 1,
  requestsPerSecond: 10,
  random: 0.5,
  ...fields,
});

describe('the wait before the next look at a task', () => {
  it.each([
    [0, 3_000],
    [36_000, 3_000],
    [60_000, 5_000],
    [120_000, 10_000],
    [360_000, 30_000],
    [3_600_000, 30_000],
  ])(
    'grows with the %d ms already spent to %d ms, between the two ends of the pace',
    (elapsedMs, delayMs) => {
      expect(nextPollDelayMs(aLook({ elapsedMs }))).toBe(delayMs);
    },
  );

  it.each([
    ['waits until four fifths of the usual time', { usualMs: 20_000, elapsedMs: 0 }, 16_000],
    ['waits the rest of it', { usualMs: 20_000, elapsedMs: 6_000 }, 10_000],
    ['never longer than the slowest pace at once', { usualMs: 600_000, elapsedMs: 0 }, 30_000],
    ['no more once that time is over', { usualMs: 20_000, elapsedMs: 60_000 }, 5_000],
    ['no less than the first wait', { usualMs: 20_000, elapsedMs: 14_000 }, 3_000],
  ])('%s', (_case, fields, delayMs) => {
    expect(nextPollDelayMs(aLook(fields))).toBe(delayMs);
  });

  it.each([
    [30, 10, 3_000],
    [31, 10, 3_100],
    [1_000, 10, 100_000],
    [100_000, 200, 500_000],
    [1, 0.1, 10_000],
  ])(
    'for each of %d tasks stretches at %d requests a second to %d ms',
    (liveTasks, requestsPerSecond, delayMs) => {
      expect(nextPollDelayMs(aLook({ liveTasks, requestsPerSecond }))).toBe(delayMs);
    },
  );

  it.each([
    [0, 2_550],
    [0.25, 2_775],
    [0.5, 3_000],
    [0.999_999, 3_450],
  ])('moves by up to 15 %% either way: random %d makes 3000 ms %d ms', (random, delayMs) => {
    expect(nextPollDelayMs(aLook({ random }))).toBe(delayMs);
  });
});

describe('asking about many tasks at once', () => {
  it.each([
    [0, 20, false],
    [600, 20, false],
    [601, 20, true],
    [100_000, 20, true],
    [100_000, 4_000, false],
    [31, 1, true],
    [3, 0.1, false],
    [4, 0.1, true],
  ])(
    'with %d tasks at %d requests a second and a slowest pace of 30 s: %s',
    (liveTasks, requestsPerSecond, isNeeded) => {
      expect(
        needsBatchPolls({
          pace: { firstSeconds: 3, maxSeconds: 30 },
          liveTasks,
          requestsPerSecond,
        }),
      ).toBe(isNeeded);
    },
  );

  it('puts no single look off for longer than it says', () => {
    const crowd = { liveTasks: 100_000, requestsPerSecond: 20 };

    expect(longestPollDelayMs(crowd)).toBe(5_750_000);
    expect(nextPollDelayMs(aLook({ ...crowd, random: 0.999_999_999 }))).toBe(5_750_000);
  });
});
