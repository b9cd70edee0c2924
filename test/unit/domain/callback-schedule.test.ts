import { describe, expect, it } from '@jest/globals';
import {
  afterFailure,
  attemptClasses,
  classOfStatus,
  defaultCallbackRetryDelaysMs,
  parseRetryAfterMs,
  type AfterFailure,
  type AttemptClass,
  type FailedAttempt,
} from '@gateway/domain';

const hourMs = 3_600_000;

const aFailure = (fields: Partial<FailedAttempt> = {}): FailedAttempt => ({
  attemptClass: 'http_error',
  failures: 1,
  retryAfterMs: undefined,
  delaysMs: defaultCallbackRetryDelaysMs,
  random: 0.5,
  ...fields,
});

describe('the class of a response', () => {
  it.each<[number, AttemptClass]>([
    [100, 'http_error'],
    [199, 'http_error'],
    [200, 'success'],
    [201, 'success'],
    [204, 'success'],
    [299, 'success'],
    [300, 'redirect_not_followed'],
    [301, 'redirect_not_followed'],
    [308, 'redirect_not_followed'],
    [399, 'redirect_not_followed'],
    [400, 'http_error'],
    [404, 'http_error'],
    [409, 'http_error'],
    [410, 'gone'],
    [411, 'http_error'],
    [429, 'http_error'],
    [500, 'http_error'],
    [503, 'http_error'],
  ])('of %d is %s', (status, attemptClass) => {
    expect(classOfStatus(status)).toBe(attemptClass);
  });
});

describe('after a failed push', () => {
  const again: AfterFailure = { kind: 'retry', afterMs: 5_000 };
  const outcomes: Record<Exclude<AttemptClass, 'success'>, AfterFailure> = {
    redirect_not_followed: again,
    gone: { kind: 'stop', reason: 'gone' },
    http_error: again,
    mismatch: { kind: 'stop', reason: 'mismatch' },
    dns_error: again,
    connection_refused: again,
    connection_reset: again,
    tls_error: again,
    timeout_lookup: again,
    timeout_connect: again,
    timeout_tls: again,
    timeout_response: again,
    timeout_total: again,
    blocked_address: { kind: 'stop', reason: 'blocked' },
    invalid_answer: again,
    network_error: again,
  };

  it('there are these classes, and what each asks for', () => {
    expect(attemptClasses).toEqual(['success', ...Object.keys(outcomes)]);
    expect(
      Object.fromEntries(
        attemptClasses
          .slice(1)
          .map((attemptClass) => [attemptClass, afterFailure(aFailure({ attemptClass }))]),
      ),
    ).toEqual(outcomes);
  });

  it.each<[number, AfterFailure]>([
    [1, { kind: 'retry', afterMs: 5_000 }],
    [2, { kind: 'retry', afterMs: 60_000 }],
    [3, { kind: 'retry', afterMs: 300_000 }],
    [4, { kind: 'retry', afterMs: 1_800_000 }],
    [5, { kind: 'retry', afterMs: 2 * hourMs }],
    [6, { kind: 'stop', reason: 'exhausted' }],
    [7, { kind: 'stop', reason: 'exhausted' }],
  ])('number %d in a row there are five retries, then none', (failures, next) => {
    expect(afterFailure(aFailure({ failures }))).toEqual(next);
  });

  it.each([
    [0, 4_000],
    [0.25, 4_500],
    [0.5, 5_000],
    [0.999_999, 6_000],
  ])(
    'the wait moves by up to 20 %% either way: random %d makes 5000 ms %d ms',
    (random, afterMs) => {
      expect(afterFailure(aFailure({ random }))).toEqual({ kind: 'retry', afterMs });
    },
  );

  it.each([
    ['as asked', 90_000, 90_000],
    ['not shorter than the schedule', 1_000, 5_000],
    ['not shorter for a time that is past', 0, 5_000],
    ['at most six hours', 6 * hourMs + 1, 6 * hourMs],
    ['at most six hours for ten years', 10 * 365 * 24 * hourMs, 6 * hourMs],
    ['exactly, without jitter', 6 * hourMs, 6 * hourMs],
  ])('a Retry-After is waited %s', (_case, retryAfterMs, afterMs) => {
    expect(afterFailure(aFailure({ retryAfterMs, random: 0.5 }))).toEqual({
      kind: 'retry',
      afterMs,
    });
  });

  it('a Retry-After gives no attempt beyond the last', () => {
    expect(afterFailure(aFailure({ failures: 6, retryAfterMs: 1_000 }))).toEqual({
      kind: 'stop',
      reason: 'exhausted',
    });
  });

  it('the operator’s own list of waits is followed', () => {
    const delaysMs = [10, 20];

    expect([1, 2, 3].map((failures) => afterFailure(aFailure({ delaysMs, failures })))).toEqual([
      { kind: 'retry', afterMs: 10 },
      { kind: 'retry', afterMs: 20 },
      { kind: 'stop', reason: 'exhausted' },
    ]);
    expect(afterFailure(aFailure({ delaysMs: [] }))).toEqual({ kind: 'stop', reason: 'exhausted' });
  });
});

describe('a Retry-After header', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['0', 0],
    ['120', 120_000],
    ['315360000', 315_360_000_000],
    ['9999999999', 9_999_999_999_000],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
    ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['Tue, 01 Jan 2036 00:00:00 GMT', 3_652 * 24 * hourMs],
    ['99999999999999999999', 1e23],
  ])('%j is read as %d ms', (value, milliseconds) => {
    expect(parseRetryAfterMs(value, now)).toBe(milliseconds);
  });

  it('of ten years makes the dispatcher wait six hours', () => {
    const retryAfterMs = parseRetryAfterMs('Tue, 01 Jan 2036 00:00:00 GMT', now);

    expect(afterFailure(aFailure({ retryAfterMs }))).toEqual({
      kind: 'retry',
      afterMs: 6 * hourMs,
    });
  });
});
