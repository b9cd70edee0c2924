import { describe, expect, it } from '@jest/globals';
import type { ClaimedCallback, PendingPush } from '@gateway/store';
import {
  decideNext,
  type Next,
} from '../../../services/callback-dispatcher/src/use-cases/decide-next.ts';

const push = (sequence: number, attempts = 0): PendingPush => ({
  sequence,
  status: 'running',
  attempts,
});
const aCallback = (overrides: Partial<ClaimedCallback>): ClaimedCallback => ({
  state: 'verified',
  failures: 0,
  challenge: null,
  dueInMs: null,
  manual: false,
  heldBackMs: 0,
  ...overrides,
});

describe('what a callback needs next', () => {
  it.each<
    [
      string,
      { readonly callback: Partial<ClaimedCallback>; readonly pending: readonly PendingPush[] },
      Next,
    ]
  >([
    ['nothing when nothing is pending', { callback: {}, pending: [] }, { kind: 'rest' }],
    [
      'nothing when nothing is pending, verified or not',
      { callback: { state: 'unverified', dueInMs: -5 }, pending: [] },
      { kind: 'rest' },
    ],
    [
      'the challenge before the first push',
      { callback: { state: 'unverified' }, pending: [push(1)] },
      { kind: 'challenge' },
    ],
    [
      'the challenge again once its wait is over',
      { callback: { state: 'unverified', failures: 2, dueInMs: 0 }, pending: [push(1), push(2)] },
      { kind: 'challenge' },
    ],
    [
      'to wait while the challenge is put off',
      { callback: { state: 'unverified', failures: 1, dueInMs: 4_000 }, pending: [push(1)] },
      { kind: 'wait', afterMs: 4_000 },
    ],
    [
      'the oldest push while the receiver takes them',
      { callback: {}, pending: [push(2), push(3), push(4)] },
      { kind: 'push', push: push(2) },
    ],
    [
      'to wait while a push is put off, though newer ones came',
      { callback: { failures: 1, dueInMs: 1 }, pending: [push(1, 1), push(2)] },
      { kind: 'wait', afterMs: 1 },
    ],
    [
      'the newest push after a failure',
      { callback: { failures: 1, dueInMs: -1 }, pending: [push(1, 1), push(2), push(3)] },
      { kind: 'push', push: push(3) },
    ],
    [
      'the failed push again when nothing newer came',
      { callback: { failures: 3, dueInMs: -1 }, pending: [push(4, 3)] },
      { kind: 'push', push: push(4, 3) },
    ],
    [
      'what came after the stop to be stopped',
      { callback: { state: 'stopped', failures: 6 }, pending: [push(5)] },
      { kind: 'stop_pending' },
    ],
    [
      'nothing after the stop when nothing came',
      { callback: { state: 'stopped', failures: 6 }, pending: [] },
      { kind: 'rest' },
    ],
  ])('is %s', (_name, { callback, pending }, expected) => {
    expect(decideNext(aCallback(callback), pending)).toEqual(expected);
  });
});
