import { describe, expect, it } from '@jest/globals';
import {
  causeToLeave,
  pickRoute,
  taskFailures,
  tryOutcomes,
  type LeaveCause,
  type RouteNews,
  type TaskFailureCode,
} from '@gateway/domain';

const policy = { busyAfterMs: 30_000, retryFailed: true };
const free = { hasCancelRequest: false };

/** What each outcome of a try leads to, at a model that allows everything. */
const ofOutcome: Readonly<
  Record<(typeof tryOutcomes)[number] | 'breaker_open' | 'model_gone', LeaveCause | undefined>
> = {
  not_sent: 'not_sent',
  busy: 'busy',
  unavailable: 'refused',
  breaker_open: 'breaker_open',
  model_gone: 'model_gone',
  failed: 'failed',
  accepted: undefined,
  refused: undefined,
  unknown: undefined,
  succeeded: undefined,
  cancelled: undefined,
  abandoned: undefined,
};

const newsOf = (kind: keyof typeof ofOutcome): RouteNews => {
  if (kind === 'busy') return { kind, forMs: 30_000 };
  return kind === 'failed' ? { kind, code: 'vendor_error', isCharged: false } : { kind };
};
const cases = Object.entries(ofOutcome) as [keyof typeof ofOutcome, LeaveCause | undefined][];

describe('whether a task leaves its route', () => {
  it.each(cases)('after %s: %s', (kind, cause) => {
    expect(causeToLeave(newsOf(kind), policy, free)).toBe(cause);
  });

  it('is decided for every outcome that a try may have', () => {
    expect(Object.keys(ofOutcome)).toEqual(expect.arrayContaining([...tryOutcomes]));
  });

  it.each(cases)('never once its customer wants it cancelled: %s', (kind) => {
    expect(causeToLeave(newsOf(kind), policy, { hasCancelRequest: true })).toBeUndefined();
  });

  it.each([
    [0, 0, 'busy'],
    [29_999, 30_000, undefined],
    [30_000, 30_000, 'busy'],
  ] as const)('busy for %s ms, where %s are waited for: %s', (forMs, busyAfterMs, cause) => {
    expect(causeToLeave({ kind: 'busy', forMs }, { ...policy, busyAfterMs }, free)).toBe(cause);
  });

  const failures: Readonly<Record<TaskFailureCode, boolean>> = {
    vendor_error: true,
    vendor_account: true,
    expired: true,
    invalid_request: false,
    content_policy: false,
    no_output: false,
    output_rejected: false,
    output_unavailable: false,
    submission_unknown: false,
    vendor_removed: false,
    cancelled: false,
  };
  it.each(Object.keys(taskFailures) as TaskFailureCode[])('after a failure of %s', (code) => {
    const leaves = failures[code] ? 'failed' : undefined;

    expect(causeToLeave({ kind: 'failed', code, isCharged: false }, policy, free)).toBe(leaves);
    expect(causeToLeave({ kind: 'failed', code, isCharged: true }, policy, free)).toBeUndefined();
    expect(
      causeToLeave(
        { kind: 'failed', code, isCharged: false },
        { ...policy, retryFailed: false },
        free,
      ),
    ).toBeUndefined();
  });
});

describe('the choice of a route', () => {
  const a = { name: 'a', weight: 3, fallback: false };
  const b = { name: 'b', weight: 1, fallback: false };
  const spare = { name: 'spare', weight: 2, fallback: true };
  const other = { name: 'other', weight: 2, fallback: true };

  it.each([
    [[a, b, spare], 0, 'a'],
    [[a, b, spare], 0.7499, 'a'],
    [[a, b, spare], 0.75, 'b'],
    [[spare, a, b], 0.9999, 'b'],
    [[spare, a], 0.99, 'a'],
    [[spare], 0.5, 'spare'],
    [[spare, other], 0.5, 'other'],
    [[], 0.5, undefined],
  ] as const)('of %j at %s is %s', (routes, random, name) => {
    expect(pickRoute(routes, random)?.name).toBe(name);
  });
});
