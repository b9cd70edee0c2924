import { describe, expect, it } from '@jest/globals';
import { createDeferrals } from '../../../services/callback-dispatcher/src/use-cases/deferrals.ts';

/** Lines over a clock that a test moves. */
function aClock() {
  let time = 1_000;
  const deferrals = createDeferrals({ maxInFlight: 4, now: () => time });
  return {
    deferrals,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('the line of pushes that wait for one receiver', () => {
  it('comes back one after the other, at the pace in which places get free', () => {
    const { deferrals } = aClock();

    // Nothing is known yet: an attempt is taken to last 50 ms, so that of four places one gets free
    // each 12.5 ms.
    expect([
      deferrals.nextAfterMs('a'),
      deferrals.nextAfterMs('a'),
      deferrals.nextAfterMs('a'),
    ]).toEqual([33, 45, 58]);
    expect(deferrals.nextAfterMs('b')).toBe(33);
  });

  it('is spread further the slower its receiver has been', () => {
    const { deferrals, pass } = aClock();
    let end = deferrals.begin('a');
    for (let answers = 0; answers < 40; answers += 1) {
      pass(400);
      const next = deferrals.begin('a');
      end();
      end = next;
    }

    const first = deferrals.nextAfterMs('a');
    expect(deferrals.nextAfterMs('a') - first).toBe(100);
  });

  it('is spread while nothing answers at all, but never over more than five minutes', () => {
    const { deferrals, pass } = aClock();
    deferrals.begin('a');
    pass(60_000);

    const first = deferrals.nextAfterMs('a');
    expect(deferrals.nextAfterMs('a') - first).toBe(2_000);
    for (let waiting = 0; waiting < 1_000; waiting += 1) deferrals.nextAfterMs('a');
    expect(deferrals.nextAfterMs('a')).toBe(300_020);
  });

  it('is forgotten when nobody is at work or waits any more', () => {
    const { deferrals, pass } = aClock();
    const ends = [deferrals.begin('a'), deferrals.begin('a')];
    deferrals.nextAfterMs('a');

    pass(100);
    ends[0]!();
    expect(deferrals.size()).toBe(1);
    ends[0]!(); // a second call ends nothing else
    expect(deferrals.size()).toBe(1);
    ends[1]!();
    expect(deferrals.size()).toBe(0);
  });
});
