import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { collectAtRest } from '../../../packages/runtime/src/lifecycle/rest.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the memory that a start leaves', () => {
  it('is left to V8 while there is work, and collected once, in two steps, when there is none', async () => {
    const collected: string[] = [];
    const checks = jest.spyOn(performance, 'eventLoopUtilization');
    collectAtRest({
      everyMs: 50,
      collect: (type) => {
        collected.push(type);
      },
    });
    // Each check compares with the one before: two calls.
    while (checks.mock.calls.length < 9) await busyFor(10);
    expect(collected).toEqual([]);

    await eventually(() => {
      expect(collected).toEqual(['minor', 'major']);
    });
  });
});

async function busyFor(ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until);
  await new Promise(setImmediate);
}
