import { describe, expect, it } from '@jest/globals';
import { readMoney, readTicks } from '../../../packages/video-providers/src/money.ts';

describe('money in a vendor’s response', () => {
  it.each<[unknown, unknown, string | undefined]>([
    ['0.420', 'USD', '0.42'],
    [0.1, 'usd', '0.1'],
    [1e-7, 'USD', '0.0000001'],
    [0, 'CNY', '0'],
    ['-1', 'USD', undefined],
    [-0.5, 'USD', undefined],
    [2e9, 'USD', undefined],
    ['1e3', 'USD', undefined],
    [undefined, 'USD', undefined],
    ['1', 'units', undefined],
    ['1', undefined, undefined],
  ])('%j %j is %j', (amount, currency, expected) => {
    expect(readMoney(amount, currency)?.amount).toBe(expected);
  });

  it.each<[unknown, string | undefined]>([
    [3_000_000_000, '0.3'],
    ['1', '0.0000000001'],
    [-1, undefined],
    [0.5, undefined],
  ])('counted in ticks, %j is %j', (ticks, expected) => {
    expect(readTicks(ticks, 10)).toBe(expected);
  });
});
