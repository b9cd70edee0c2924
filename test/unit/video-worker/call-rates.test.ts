import { describe, expect, it } from '@jest/globals';
import { createCallRates } from '../../../services/video-worker/src/adapters/call-rates.ts';

describe('the calls of the last minute', () => {
  it('are counted by provider, and forgotten after it', () => {
    let now = 0;
    const rates = createCallRates(() => now);
    rates.note('ark');
    now = 30_000;
    rates.note('ark');
    rates.note('kling');

    expect(rates.inMinute()).toEqual({ ark: 2, kling: 1 });
    now = 61_000;
    expect(rates.inMinute()).toEqual({ ark: 1, kling: 1 });
    now = 120_000;
    expect(rates.inMinute()).toEqual({});
  });
});
