import { describe, expect, it } from '@jest/globals';
import { comparePrices } from '../../contracts/price-histories.ts';

describe('quote, hold and charge of any price', () => {
  it('agree, and old files mean what they meant, in 10,000 of them', () => {
    expect(() => {
      comparePrices(10_000, 7);
    }).not.toThrow();
  });
});
