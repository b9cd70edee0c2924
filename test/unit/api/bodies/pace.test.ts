import { describe, expect, it } from '@jest/globals';
import { createBodyPace } from '../../../../services/api/src/bodies/pace.ts';

describe('the pace of bodies', () => {
  it('lets a burst of a tenth of a second through, then slows one account down and no other', () => {
    let nowMs = 1_000;
    const pace = createBodyPace({ bytesPerSecond: 1_000_000, now: () => nowMs });

    expect(pace.read('a', 100_000)).toBe(0);
    expect(pace.read('a', 50_000)).toBe(50);
    expect(pace.read('a', 50_000)).toBe(100);
    expect(pace.read('b', 50_000)).toBe(0);

    nowMs += 60;
    expect(pace.read('a', 10_000)).toBe(50);
    nowMs += 10_000;
    expect(pace.read('a', 100_000)).toBe(0);
  });

  it('remembers what an account read when many others came after it', () => {
    let nowMs = 1_000;
    const pace = createBodyPace({ bytesPerSecond: 1_000_000, now: () => nowMs });
    pace.read('hungry', 400_000);
    nowMs += 150;

    for (let other = 0; other < 3_000; other += 1) pace.read(`other ${other}`, 1);

    expect(pace.read('hungry', 0)).toBe(150);
  });
});
