import { describe, expect, it } from '@jest/globals';
import {
  ClosedLeases,
  type ClosedLease,
} from '../../../services/api/src/adapters/text-leases/closed-leases.ts';

const aLease = (accountId: string, leaseId: string): ClosedLease => ({
  accountId,
  leaseId,
  sequence: 3,
});
const idsOf = (leases: readonly ClosedLease[]): string[] => leases.map(({ leaseId }) => leaseId);

describe('leases that are over', () => {
  it('are closed again after a minute, and then forgotten', () => {
    const closed = new ClosedLeases();
    closed.note(aLease('a', 'first'), 0);
    closed.note(aLease('b', 'later'), 10_000);

    expect(closed.takeDue(59_999)).toEqual([]);
    expect(idsOf(closed.takeDue(60_000))).toEqual(['first']);
    expect(idsOf(closed.takeDue(70_000))).toEqual(['later']);
    expect(closed.takeDue(200_000)).toEqual([]);
  });

  it('go one of each account at a time, as billing takes them', () => {
    const closed = new ClosedLeases();
    for (const id of ['first', 'second', 'third']) closed.note(aLease('a', id), 0);
    closed.note(aLease('b', 'other'), 0);

    const calls = [1, 2, 3, 4].map(() => idsOf(closed.takeDue(60_000)));

    expect(calls).toEqual([['first', 'other'], ['second'], ['third'], []]);
  });

  it('go at most as many at a time as billing takes', () => {
    const closed = new ClosedLeases();
    for (let number = 0; number < 501; number += 1) closed.note(aLease(`a${number}`, 'lease'), 0);

    expect(closed.takeDue(60_000)).toHaveLength(500);
    expect(closed.takeDue(60_000)).toHaveLength(1);
  });

  it('are due again at once when billing could not be asked', () => {
    const closed = new ClosedLeases();
    closed.note(aLease('a', 'first'), 0);
    closed.note(aLease('b', 'later'), 30_000);
    closed.putBack(closed.takeDue(60_000), 60_000);

    expect(idsOf(closed.takeDue(61_000))).toEqual(['first']);
  });
});
