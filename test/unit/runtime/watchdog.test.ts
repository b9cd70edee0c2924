import { describe, expect, it } from '@jest/globals';
import { idleMs, keepVigil, watchEveryMs, type Vigil, type WorkerLook } from '@gateway/runtime';

const everyMs = 10;

/**
 * For how long the worker counts as idle after each of these looks, which are 10 ms apart unless
 * said otherwise.
 */
function idleAfter(looks: readonly Partial<WorkerLook>[]): number[] {
  let vigil: Vigil | undefined;
  return looks.map((look, at) => {
    vigil = keepVigil(vigil, { atMs: at * everyMs, taken: 0, couldTake: true, ...look }, everyMs);
    return idleMs(vigil);
  });
}

describe('the watch over a worker', () => {
  it('counts the time in which it could have taken jobs and took none', () => {
    expect(idleAfter([{}, {}, {}, {}])).toEqual([0, 10, 20, 30]);
  });

  it('starts anew with each job that it takes', () => {
    expect(idleAfter([{}, {}, { taken: 1 }, { taken: 1 }, { taken: 2 }, { taken: 2 }])).toEqual([
      0, 10, 0, 10, 0, 10,
    ]);
  });

  it('counts nothing while no job waits or the worker is full', () => {
    expect(idleAfter([{}, {}, { couldTake: false }, {}, {}])).toEqual([0, 10, 0, 0, 10]);
  });

  it('counts nothing while nobody can tell: a restart does not bring the stores back', () => {
    expect(idleAfter([{}, {}, { couldTake: undefined }, { couldTake: undefined }, {}, {}])).toEqual(
      [0, 10, 0, 0, 0, 10],
    );
  });

  it('starts anew after a time in which the process itself stood still', () => {
    expect(idleAfter([{ atMs: 0 }, { atMs: 10 }, { atMs: 41 }, { atMs: 51 }])).toEqual([
      0, 10, 0, 10,
    ]);
    expect(idleAfter([{ atMs: 0 }, { atMs: 30 }])).toEqual([0, 30]);
  });

  it.each([
    [120_000, 15_000],
    [8_000, 1_000],
    [80, 20],
    [Infinity, 15_000],
  ])('looks often enough: %d ms need a look every %d ms', (stalledAfterMs, wanted) => {
    expect(watchEveryMs(stalledAfterMs)).toBe(wanted);
  });
});
