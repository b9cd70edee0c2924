import { describe, expect, it } from '@jest/globals';
import { createBulkheads } from '../../../services/video-worker/src/adapters/bulkheads.ts';

describe('the bulkheads of providers', () => {
  it('let in as many as their width, each provider on its own, and another when one was released', () => {
    const bulkheads = createBulkheads(2, () => 0);
    const release = bulkheads.enter('a');
    bulkheads.enter('a');

    expect(bulkheads.enter('a')).toBeUndefined();
    expect(bulkheads.enter('b')).toBeDefined();
    release?.();
    expect(bulkheads.enter('a')).toBeDefined();
  });

  it('count the rejected until as many have entered', () => {
    const bulkheads = createBulkheads(1, () => 0);
    const release = bulkheads.enter('a');
    bulkheads.enter('a');
    bulkheads.enter('a');

    expect(bulkheads.rejected('a')).toBe(2);
    release?.();
    for (let attempt = 0; attempt < 3; attempt += 1) bulkheads.enter('a')?.();
    expect(bulkheads.rejected('a')).toBe(0);
  });

  it('know how long a slot is occupied from those that were released', () => {
    const clock = { now: 0 };
    const bulkheads = createBulkheads(2, () => clock.now);

    for (let task = 0; task < 200; task += 1) {
      const release = bulkheads.enter('a');
      clock.now += 20;
      release?.();
    }

    expect(bulkheads.occupancyMs('a')).toBeCloseTo(20, 1);
    expect(bulkheads.occupancyMs('b')).toBe(1_000);
  });

  it('take an occupancy for as long as nothing was released, but not while it was empty', () => {
    const clock = { now: 0 };
    const bulkheads = createBulkheads(2, () => clock.now);
    bulkheads.enter('a')?.();
    clock.now += 600_000;
    bulkheads.enter('a');

    clock.now += 25_000;

    expect(bulkheads.occupancyMs('a')).toBe(25_000);
  });
});
