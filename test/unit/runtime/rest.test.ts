import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { collectAtRest } from '../../../packages/runtime/src/lifecycle/rest.ts';

const everyMs = 10_000;
let utilization = 0;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  jest
    .spyOn(performance, 'eventLoopUtilization')
    .mockImplementation(() => ({ idle: 0, active: 0, utilization }));
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** What is collected while the process is as busy as this, from one check to the next. */
function collectedWith(shares: readonly number[]): string[] {
  const collected: string[] = [];
  collectAtRest({
    everyMs,
    collect: (type) => {
      collected.push(type);
    },
  });
  for (const share of shares) {
    utilization = share;
    jest.advanceTimersByTime(everyMs);
  }
  return collected;
}

describe('the memory that a start leaves', () => {
  it('is left to V8 while there is work', () => {
    expect(collectedWith([0.9, 0.11, 0.5])).toEqual([]);
  });

  it('is collected in two steps at rest, and never again', () => {
    expect(collectedWith([0.9, 0.05, 0.05, 0.05, 0.9, 0.05, 0.05])).toEqual(['minor', 'major']);
  });

  it('is not collected whole right after work', () => {
    expect(collectedWith([0.05, 0.9, 0.05, 0.05])).toEqual(['minor', 'minor', 'major']);
  });
});
