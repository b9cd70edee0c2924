import { describe, expect, it } from '@jest/globals';
import { createAccountRates } from '../../../../services/api/src/adapters/stored-responses/account-rates.ts';

describe('the rate of an account', () => {
  it('lets it go beyond its burst once, and then waits until it is paid', () => {
    let nowMs = 0;
    const rates = createAccountRates({
      bytesPerSecond: 100,
      burstBytes: 200,
      nowMs: () => nowMs,
    });
    rates.charge('a', 200);
    expect(rates.mayGoOn('a')).toBe(true);

    rates.charge('a', 100);
    expect([rates.mayGoOn('a'), rates.mayGoOn('b')]).toEqual([false, true]);
    nowMs = 999;
    expect(rates.mayGoOn('a')).toBe(false);
    nowMs = 1_000;
    expect(rates.mayGoOn('a')).toBe(true);
    // What others charge forgets those that have paid, and nobody else.
    rates.charge('b', 1);
    rates.charge('a', 1);
    expect(rates.mayGoOn('a')).toBe(false);
  });
});
