import { describe, expect, it } from '@jest/globals';
import { createLanes } from '../../../services/video-worker/src/adapters/lanes.ts';

describe('the lanes of providers', () => {
  it('let in as many as are wide, each provider for itself, and another when one has left', () => {
    const lanes = createLanes(2, () => 0);
    const leave = lanes.enter('a');
    lanes.enter('a');

    expect(lanes.enter('a')).toBeUndefined();
    expect(lanes.enter('b')).toBeDefined();
    leave?.();
    expect(lanes.enter('a')).toBeDefined();
  });

  it('count who was turned away until as many have come in', () => {
    const lanes = createLanes(1, () => 0);
    const leave = lanes.enter('a');
    lanes.enter('a');
    lanes.enter('a');

    expect(lanes.turnedAway('a')).toBe(2);
    leave?.();
    for (let look = 0; look < 3; look += 1) lanes.enter('a')?.();
    expect(lanes.turnedAway('a')).toBe(0);
  });

  it('know how long a stay takes from those that have left', () => {
    const clock = { now: 0 };
    const lanes = createLanes(2, () => clock.now);

    for (let stay = 0; stay < 200; stay += 1) {
      const leave = lanes.enter('a');
      clock.now += 20;
      leave?.();
    }

    expect(lanes.stayMs('a')).toBeCloseTo(20, 1);
    expect(lanes.stayMs('b')).toBe(1_000);
  });

  it('take a stay for as long as nobody has left, but not while nobody was there', () => {
    const clock = { now: 0 };
    const lanes = createLanes(2, () => clock.now);
    lanes.enter('a')?.();
    clock.now += 600_000;
    lanes.enter('a');

    clock.now += 25_000;

    expect(lanes.stayMs('a')).toBe(25_000);
  });
});
