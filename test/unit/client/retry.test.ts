import { describe, expect, it } from '@jest/globals';
import { ApiError, ConnectionError } from '@gateway/client';
import { retryAfterMsOf } from '../../../packages/client/src/errors.ts';
import { waitBeforeRetry, type Repeatable } from '../../../packages/client/src/retry.ts';

const refused = (status: number, { code = 'x', retryAfterMs }: Partial<ApiError> = {}): ApiError =>
  new ApiError('no', {
    status,
    code,
    type: undefined,
    param: undefined,
    details: [],
    requestId: undefined,
    retryAfterMs,
  });
const lost = new ConnectionError('lost');
const limits = { retries: 4, maxWaitMs: 60_000 };

interface Case {
  readonly error: unknown;
  readonly attempt?: number;
  readonly repeatable?: Repeatable;
  readonly wait: number | undefined;
}

const cases: readonly (readonly [string, Case])[] = [
  ['a lost response', { error: lost, wait: 500 }],
  ['a third lost response', { error: lost, attempt: 3, wait: 2_000 }],
  ['the last attempt', { error: lost, attempt: 4, wait: 4_000 }],
  ['one attempt too many', { error: lost, attempt: 5, wait: undefined }],
  [
    'a lost response of what must not be done twice',
    { error: lost, repeatable: 'if refused', wait: undefined },
  ],
  ['a 503', { error: refused(503), wait: 500 }],
  ['a 503 that says when', { error: refused(503, { retryAfterMs: 7_000 }), wait: 7_000 }],
  ['a 429 that says when', { error: refused(429, { retryAfterMs: 0 }), wait: 0 }],
  [
    'a 429 that says much later',
    { error: refused(429, { retryAfterMs: 60_001 }), wait: undefined },
  ],
  [
    'a 503 of what must not be done twice',
    { error: refused(503), repeatable: 'if refused', wait: 500 },
  ],
  [
    'an unknown outcome of what must not be done twice',
    { error: refused(503, { code: 'outcome_unknown' }), repeatable: 'if refused', wait: undefined },
  ],
  [
    'an unknown outcome of what may be repeated',
    { error: refused(503, { code: 'outcome_unknown' }), wait: 500 },
  ],
  [
    'a 504 of what must not be done twice',
    { error: refused(504), repeatable: 'if refused', wait: undefined },
  ],
  ['a 400', { error: refused(400), wait: undefined }],
  ['a 402', { error: refused(402), wait: undefined }],
  ['a 500', { error: refused(500), wait: undefined }],
  ['a mistake of the caller', { error: new RangeError(), wait: undefined }],
];

describe('whether and when the client repeats a call', () => {
  it.each(cases)('after %s', (_name, { error, attempt = 1, repeatable = 'anyway', wait }) => {
    expect(waitBeforeRetry(error, { attempt, repeatable, limits, random: 1 })).toBe(wait);
  });

  it('spreads repetitions over half of the wait', () => {
    const wait = waitBeforeRetry(lost, { attempt: 1, repeatable: 'anyway', limits, random: 0 });

    expect(wait).toBe(250);
  });

  it.each([
    ['3', 3_000],
    ['0', 0],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 9_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    [null, undefined],
  ])('reads Retry-After: %s', (value, ms) => {
    expect(retryAfterMsOf(value, 1_000)).toBe(ms);
  });
});
