/** @workers behind: it only computes. */
import { describe, expect, it } from '@jest/globals';
import { comparePrices } from '../contracts/price-histories.ts';

const count = Number(process.env['PRICES'] ?? 1_000_000);
const seed = Number(process.env['PRICES_SEED'] ?? 2_026);

describe('quote, hold and charge of any price', () => {
  it(`agree, and old files mean what they meant, in ${count} of them`, () => {
    expect(() => {
      comparePrices(count, seed);
    }).not.toThrow();
  }, 3_600_000);
});
