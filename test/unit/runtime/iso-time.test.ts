import { describe, expect, it } from '@jest/globals';
import { isoTime } from '../../../packages/runtime/src/logging/iso-time.ts';
import fc from 'fast-check';

describe('a time as text', () => {
  it('is what a Date says, whatever was asked before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (ms) => {
        expect(isoTime(ms)).toBe(new Date(ms).toISOString());
      }),
      { seed: 11 },
    );
  });

  it.each([0, 5, 9, 10, 99, 100, 999])('keeps %i milliseconds within one second', (millis) => {
    expect(isoTime(1_790_000_000_000 + millis)).toBe(
      new Date(1_790_000_000_000 + millis).toISOString(),
    );
  });
});
