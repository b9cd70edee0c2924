import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createDeadlines, type Timed } from '../../../../services/api/src/text/hot-path/index.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
});
afterEach(() => {
  jest.useRealTimers();
});

function aClock() {
  const clock = { nowMs: 0 };
  const deadlines = createDeadlines({ nowMs: () => clock.nowMs, everyMs: 100 });
  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 100) {
      clock.nowMs += 100;
      jest.advanceTimersByTime(100);
    }
  };
  return { deadlines, pass };
}

const timed = (dueMs: number): Timed & { expired: number } => {
  const item = {
    place: -1,
    dueMs,
    expired: 0,
    expire: () => {
      item.expired += 1;
    },
  };
  return item;
};

describe('a deadline', () => {
  it('expires once, at the first look after its time', () => {
    const { deadlines, pass } = aClock();
    const item = timed(250);
    deadlines.watch(item);

    pass(200);
    expect(item.expired).toBe(0);
    pass(100);
    expect(item.expired).toBe(1);
    pass(1_000);
    expect(item.expired).toBe(1);
  });

  it('may be moved, and does not come once it is released', () => {
    const { deadlines, pass } = aClock();
    const [moved, released] = [timed(200), timed(200)];
    deadlines.watch(moved);
    deadlines.watch(released);
    pass(100);
    moved.dueMs = 500;
    deadlines.release(released);

    pass(300);
    expect([moved.expired, released.expired]).toEqual([0, 0]);
    pass(100);
    expect([moved.expired, released.expired]).toEqual([1, 0]);
  });

  it('does not come when another one that expires in the same look releases it', () => {
    const { deadlines, pass } = aClock();
    const second = timed(100);
    deadlines.watch({
      place: -1,
      dueMs: 100,
      expire: () => {
        deadlines.release(second);
      },
    });
    deadlines.watch(second);

    pass(300);

    expect(second.expired).toBe(0);
  });

  it('needs no timer while there is none, and gets one again with the next', () => {
    const { deadlines, pass } = aClock();
    expect(jest.getTimerCount()).toBe(0);
    deadlines.watch(timed(50));
    expect(jest.getTimerCount()).toBe(1);
    pass(200);
    expect(jest.getTimerCount()).toBe(0);

    const later = timed(300);
    deadlines.watch(later);
    pass(100);
    expect(later.expired).toBe(1);
  });
});
