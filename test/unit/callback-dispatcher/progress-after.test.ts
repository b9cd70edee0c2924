import { describe, expect, it } from '@jest/globals';
import type { AttemptClass } from '@gateway/domain';
import type { CallbackProgress } from '@gateway/store';
import { progressAfter } from '../../../services/callback-dispatcher/src/use-cases/progress-after.ts';

const delaysMs = [5_000, 60_000, 300_000, 1_800_000, 7_200_000];
const after = (
  attemptClass: AttemptClass,
  failures: number,
  retryAfterMs?: number,
  manual = false,
): CallbackProgress =>
  progressAfter(
    {
      attemptClass,
      retryAfterMs,
      httpStatus: null,
      detail: null,
      answerExcerpt: null,
      remoteAddress: null,
    },
    { failures, manual, delaysMs, random: 0.5 },
  );

describe('what an attempt means for its callback', () => {
  it('is a clean slate after a success', () => {
    expect(after('success', 5)).toEqual({ kind: 'succeeded' });
  });

  it('is five waits as configured and then the stop', () => {
    expect([0, 1, 2, 3, 4, 5].map((failures) => after('http_error', failures))).toEqual([
      ...delaysMs.map((afterMs, index) => ({ kind: 'retry', failures: index + 1, afterMs })),
      { kind: 'stop', failures: 6, reason: 'exhausted' },
    ]);
  });

  it.each<[AttemptClass, string]>([
    ['gone', 'gone'],
    ['blocked_address', 'blocked'],
    ['mismatch', 'mismatch'],
  ])('is the stop at once after %s', (attemptClass, reason) => {
    expect(after(attemptClass, 0)).toEqual({ kind: 'stop', failures: 1, reason });
  });

  it('is the wait that the receiver asked for when that is longer', () => {
    expect(after('http_error', 0, 90_000)).toEqual({ kind: 'retry', failures: 1, afterMs: 90_000 });
  });

  it('is nothing off what is left when somebody had asked for it', () => {
    expect(after('http_error', 2, undefined, true)).toEqual({
      kind: 'retry',
      failures: 2,
      afterMs: delaysMs[1],
    });
    expect(after('http_error', 0, undefined, true)).toEqual({
      kind: 'retry',
      failures: 1,
      afterMs: delaysMs[0],
    });
    expect(after('http_error', 6, undefined, true)).toEqual({
      kind: 'stop',
      failures: 6,
      reason: 'exhausted',
    });
    expect(after('gone', 1, undefined, true)).toEqual({
      kind: 'stop',
      failures: 1,
      reason: 'gone',
    });
  });
});
