import { describe, expect, it } from '@jest/globals';
import {
  idleMs,
  watchWorker,
  sampleEveryMs,
  type IdleWatch,
  type WorkerSample,
} from '../../../packages/queue/src/watchdog.ts';

const everyMs = 10;

/**
 * For how long the worker counts as idle after each of these samples, which are 10 ms apart unless
 * said otherwise.
 */
function idleAfter(samples: readonly Partial<WorkerSample>[]): number[] {
  let watch: IdleWatch | undefined;
  return samples.map((sample, at) => {
    watch = watchWorker(
      watch,
      { atMs: at * everyMs, taken: 0, couldTake: true, ...sample },
      everyMs,
    );
    return idleMs(watch);
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
  ])('samples often enough: %d ms need a sample every %d ms', (stalledAfterMs, wanted) => {
    expect(sampleEveryMs(stalledAfterMs)).toBe(wanted);
  });
});
