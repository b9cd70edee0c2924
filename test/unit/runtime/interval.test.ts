import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { intervalPart, type Part } from '@gateway/runtime';
import { recordingLog, type LogLine } from '../../../packages/testing/src/recording-log.ts';
import { deferred, type Deferred } from './recording.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

interface Periodic {
  readonly part: Part;
  /** The rounds begun so far; each goes on until it is settled. */
  readonly rounds: Deferred[];
  readonly lines: readonly LogLine[];
}

function aPeriodicWork(): Periodic {
  const rounds: Deferred[] = [];
  const log = recordingLog();
  const work = (): Promise<void> => {
    const round = deferred();
    rounds.push(round);
    return round.promise;
  };
  return {
    part: intervalPart({ name: 'reconciler', everyMs: 1_000, work, log }),
    rounds,
    lines: log.lines,
  };
}

describe('work that is done again and again', () => {
  it('begins at the start, which does not wait for it', async () => {
    const { part, rounds } = aPeriodicWork();
    expect(rounds).toHaveLength(0);

    await part.start?.();
    expect(part.name).toBe('reconciler');
    expect(rounds).toHaveLength(1);
  });

  it('comes again about as long after a round ended as it was told', async () => {
    const { part, rounds } = aPeriodicWork();
    await part.start?.();
    rounds[0]?.resolve();

    await jest.advanceTimersByTimeAsync(899);
    expect(rounds).toHaveLength(1);

    await jest.advanceTimersByTimeAsync(202);
    expect(rounds).toHaveLength(2);
  });

  it('is never done twice at once', async () => {
    const { part, rounds } = aPeriodicWork();
    await part.start?.();
    await jest.advanceTimersByTimeAsync(60_000);

    expect(rounds).toHaveLength(1);
  });

  it('goes on after a round that failed, which is logged', async () => {
    const { part, rounds, lines } = aPeriodicWork();
    const error = new Error('database is away');
    await part.start?.();
    rounds[0]?.reject(error);
    await jest.advanceTimersByTimeAsync(1_101);

    expect(rounds).toHaveLength(2);
    expect(lines).toEqual([
      { level: 'error', message: expect.any(String), fields: { work: 'reconciler', error } },
    ]);
  });

  it('ends with the stop', async () => {
    const { part, rounds } = aPeriodicWork();
    await part.start?.();
    rounds[0]?.resolve();
    await jest.advanceTimersByTimeAsync(1);
    await part.stop();
    await jest.advanceTimersByTimeAsync(60_000);

    expect(rounds).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each<[string, (round: Deferred) => void]>([
    [
      'ends well',
      (round) => {
        round.resolve();
      },
    ],
    [
      'fails',
      (round) => {
        round.reject(new Error('database is away'));
      },
    ],
  ])('lets a round that is under way end before the stop, when it %s', async (_case, end) => {
    const { part, rounds } = aPeriodicWork();
    await part.start?.();
    let stopped = false;
    const stopping = part.stop().then(() => {
      stopped = true;
    });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(stopped).toBe(false);

    end(rounds[0] ?? deferred());
    await stopping;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(rounds).toHaveLength(1);
  });

  it('may be stopped before it was started', async () => {
    const { part, rounds } = aPeriodicWork();
    await part.stop();

    expect(rounds).toHaveLength(0);
  });
});
