import { afterEach, describe, expect, it } from '@jest/globals';
import { watchForStop, type StopRequest } from '../../../packages/local-stack/src/stop-request.ts';

let request: StopRequest;
afterEach(() => {
  request.dispose();
});

/** A watch on a clock that the test moves, and how often it was forced. */
function aWatch(): {
  forced: () => number;
  at: (ms: number, signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => void;
} {
  let [nowMs, times] = [0, 0];
  request = watchForStop({
    followParent: false,
    now: () => nowMs,
    force: () => {
      times += 1;
    },
  });
  return {
    forced: () => times,
    at: (ms, signal) => {
      nowMs = ms;
      process.emit(signal);
    },
  };
}

describe('a request to stop', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('comes with %s', async (signal) => {
    const { at, forced } = aWatch();
    expect(request.signal.aborted).toBe(false);

    at(0, signal);

    await request.requested;
    expect([request.signal.aborted, forced()]).toEqual([true, 0]);
  });

  it('stays one request when npm hands on the Ctrl-C that the terminal has sent already', () => {
    const { at, forced } = aWatch();

    at(0, 'SIGINT');
    at(20, 'SIGINT');

    expect(forced()).toBe(0);
  });

  it('forces the end when it is made again', () => {
    const { at, forced } = aWatch();

    at(0, 'SIGINT');
    at(1_500, 'SIGINT');

    expect(forced()).toBe(1);
  });
});
