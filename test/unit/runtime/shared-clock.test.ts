import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createSharedClock, type SharedClock } from '@gateway/runtime';
import { Registry } from 'prom-client';
import { recordingLog, type LogLine } from '../../../packages/testing/src/recording-log.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const noon = Date.parse('2026-05-04T12:00:00Z');

interface Stage {
  readonly clock: SharedClock;
  readonly lines: readonly LogLine[];
  /** Lets time pass on all clocks, and the readings that are due happen. */
  readonly pass: (ms: number) => Promise<void>;
  /** Sets this machine's clock. */
  readonly setWall: (aheadMs: number) => void;
  /** Sets the database's clock, or takes the database away. */
  readonly setDatabase: (aheadMs: number | 'gone') => void;
}

function aClock(): Stage {
  let passedMs = 0;
  let wallAheadMs = 0;
  let databaseAheadMs: number | 'gone' = 0;
  const log = recordingLog();
  const clock = createSharedClock({
    database: {
      readTime: () =>
        databaseAheadMs === 'gone'
          ? Promise.reject(new Error('gone'))
          : Promise.resolve(noon + passedMs + databaseAheadMs),
    },
    settings: { CLOCK_MAX_OFFSET_MS: 2_000 },
    metrics: new Registry(),
    log,
    wall: () => noon + Math.floor(passedMs) + wallAheadMs,
    // A monotonic clock has fractions of a millisecond.
    monotonic: () => 1_234.567 + passedMs,
  });
  return {
    clock,
    lines: log.lines,
    async pass(ms) {
      passedMs += ms;
      await jest.advanceTimersByTimeAsync(ms);
    },
    setWall: (aheadMs) => (wallAheadMs = aheadMs),
    setDatabase: (aheadMs) => (databaseAheadMs = aheadMs),
  };
}

describe('the clock that all processes share', () => {
  it('shows whole milliseconds, as timestamps are written', async () => {
    const { clock, pass } = aClock();
    await clock.part.start?.();
    await pass(0.4);

    expect(clock.now()).toBe(noon);
    expect(clock.date()).toEqual(new Date(noon));
    expect(new Date(clock.now()).toISOString()).toBe('2026-05-04T12:00:00.000Z');
  });

  it('goes by the process’s own clock until the database was read once', () => {
    const { clock, setWall } = aClock();
    setWall(7_000);

    expect(clock.now()).toBe(noon + 7_000);
    expect(clock.offsetMs()).toBeUndefined();
    expect(clock.isRight()).toBe(false);
  });

  it('goes on evenly when this machine’s clock is set', async () => {
    const { clock, pass, setWall } = aClock();
    await clock.part.start?.();

    setWall(3_600_000);
    await pass(100);

    expect(clock.now()).toBe(noon + 100);
    expect(clock.isRight()).toBe(false);
    await expect(clock.check()).rejects.toThrow('3600.0 s ahead of');
  });

  it('is right again once this machine’s clock is, and says both once', async () => {
    const { clock, pass, setWall, lines } = aClock();
    await clock.part.start?.();
    setWall(-3_600_000);
    for (let seconds = 0; seconds < 20; seconds += 1) await pass(1_000);
    setWall(0);
    for (let seconds = 0; seconds < 20; seconds += 1) await pass(1_000);

    expect(clock.isRight()).toBe(true);
    await expect(clock.check()).resolves.toBeUndefined();
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'clock differs from the database’s, no work that depends on time'],
      ['info', 'clock is right again'],
    ]);
  });

  it('goes by what it knows while the database is gone, and by another one when it responds', async () => {
    const { clock, pass, setDatabase } = aClock();
    await clock.part.start?.();
    setDatabase('gone');
    await pass(60_000);
    expect(clock.now()).toBe(noon + 60_000);
    expect(clock.isRight()).toBe(true);

    setDatabase(9_000);
    await pass(5_000);

    expect(clock.now()).toBe(noon + 65_000 + 9_000);
    expect(clock.isRight()).toBe(false);
  });
});
