import { beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import {
  createBodyBudget,
  type BodyBudget,
  type BodyShare,
} from '../../../../services/api/src/bodies/budget.ts';

const megabyte = 1_000_000;
let refused: string[];
let budget: BodyBudget;
beforeEach(() => {
  refused = [];
  budget = createBodyBudget({
    processBytes: 10 * megabyte,
    accountBytes: 4 * megabyte,
    onRefusal: (whose) => refused.push(whose),
  });
});

function grown(share: BodyShare, sizeBytes: number): BodyShare {
  share.grow(sizeBytes);
  return share;
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (GatewayError.is(error)) return error.code;
    throw error;
  }
  return 'taken';
}

describe('the budget of bytes under way', () => {
  it('refuses what an account has too much of, and takes it again when another is over', () => {
    const first = budget.open('a', 3 * megabyte);
    expect(codeOf(() => budget.open('a', 2 * megabyte))).toBe('rate_limit_exceeded');
    expect(codeOf(() => budget.open('b', 2 * megabyte))).toBe('taken');
    first.release();
    expect(codeOf(() => budget.open('a', 2 * megabyte))).toBe('taken');
    expect(refused).toEqual(['account']);
  });

  it('says what was exceeded, and when to come again', () => {
    budget.open('a', 3 * megabyte);
    expect(() => budget.open('a', 2 * megabyte)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/5000000 bytes with this one; they may have 4000000/),
        retryAfterMs: 1_000,
        headers: { connection: 'close' },
      }),
    );
  });

  it('refuses everybody when the process is full, but small bodies later than large ones', () => {
    for (const account of ['a', 'b', 'c']) budget.open(account, 3.3 * megabyte);
    expect(codeOf(() => budget.open('d', 200_000))).toBe('overloaded');
    expect(codeOf(() => budget.open('d', 100_000))).toBe('taken');
    for (let each = 0; each < 12; each += 1) budget.open(`e${each}`, 100_000);
    expect(codeOf(() => budget.open('f', 100_000))).toBe('overloaded');
    expect(refused).toEqual(['process', 'process']);
  });

  it('takes a body that is alone whatever its size', () => {
    expect(codeOf(() => budget.open('a', 20 * megabyte))).toBe('taken');
    expect(codeOf(() => budget.open('b', 1))).toBe('overloaded');
  });

  it('counts a body that was not announced as it grows, and what it had until it is released', () => {
    const one = budget.open('a', 0);
    const other = budget.open('a', 2 * megabyte);
    one.grow(2 * megabyte);
    expect(codeOf(() => grown(one, 2 * megabyte + 1))).toBe('rate_limit_exceeded');
    expect(budget.bytes).toBe(4 * megabyte);
    other.release();
    other.release();
    expect(codeOf(() => grown(one, 3 * megabyte))).toBe('taken');
    expect(budget.bytes).toBe(3 * megabyte);
    one.release();
    one.grow(megabyte);
    expect(budget.bytes).toBe(0);
  });
});
