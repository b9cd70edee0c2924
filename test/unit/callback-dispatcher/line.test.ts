import { describe, expect, it } from '@jest/globals';
import { createLines } from '../../../services/callback-dispatcher/src/use-cases/line.ts';

/** Lines over a clock that a test moves. */
function aClock() {
  let time = 1_000;
  const lines = createLines({ places: 4, now: () => time });
  return {
    lines,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('the line of pushes that wait for one receiver', () => {
  it('comes back one after the other, at the pace in which places get free', () => {
    const { lines } = aClock();

    // Nothing is known yet: an attempt is taken to last 50 ms, so that of four places one gets free
    // each 12.5 ms.
    expect([lines.next('a'), lines.next('a'), lines.next('a')]).toEqual([33, 45, 58]);
    expect(lines.next('b')).toBe(33);
  });

  it('is spread further the slower its receiver has been', () => {
    const { lines, pass } = aClock();
    let end = lines.begin('a');
    for (let answers = 0; answers < 40; answers += 1) {
      pass(400);
      const next = lines.begin('a');
      end();
      end = next;
    }

    const first = lines.next('a');
    expect(lines.next('a') - first).toBe(100);
  });

  it('is spread while nothing answers at all, but never over more than five minutes', () => {
    const { lines, pass } = aClock();
    lines.begin('a');
    pass(60_000);

    const first = lines.next('a');
    expect(lines.next('a') - first).toBe(2_000);
    for (let waiting = 0; waiting < 1_000; waiting += 1) lines.next('a');
    expect(lines.next('a')).toBe(300_020);
  });

  it('is forgotten when nobody is at work or waits any more', () => {
    const { lines, pass } = aClock();
    const ends = [lines.begin('a'), lines.begin('a')];
    lines.next('a');

    pass(100);
    ends[0]!();
    expect(lines.size()).toBe(1);
    ends[0]!(); // a second call ends nothing else
    expect(lines.size()).toBe(1);
    ends[1]!();
    expect(lines.size()).toBe(0);
  });
});
