import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  runService,
  SettingsError,
  settingsExitCode,
  type Part,
  type Service,
} from '@gateway/runtime';
import { recordingLog } from '../../../packages/testing/src/recording-log.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;
let exit: jest.SpiedFunction<typeof process.exit>;
let stderr: string[];

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  stderr = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr.push(String(text));
    return true;
  });
});

afterEach(() => {
  jest.useRealTimers();
  for (const signal of [...signals, 'SIGHUP'] as const) process.removeAllListeners(signal);
});

function aService(
  part: Partial<Part> = {},
): Service & { readonly log: ReturnType<typeof recordingLog>; readonly told: string[] } {
  const told: string[] = [];
  const tell = (what: string) => (): Promise<void> => {
    told.push(what);
    return Promise.resolve();
  };
  return {
    told,
    log: recordingLog(),
    exceptionsBeforeRestart: 10,
    parts: [{ name: 'http', start: tell('start'), stop: tell('stop'), ...part }],
  };
}

/** Lets everything that is due happen. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

describe('the life of a service', () => {
  it.each(signals)('lasts from its start until %s, and ends with code 0', async (signal) => {
    const service = aService();
    await runService(() => Promise.resolve(service));
    expect(service.told).toEqual(['start']);
    expect(exit).not.toHaveBeenCalled();

    process.emit(signal, signal);
    await settle();
    expect(service.told).toEqual(['start', 'stop']);
    expect(exit.mock.calls).toEqual([[0]]);
    expect(service.log.lines).toEqual([
      { level: 'info', message: 'stopping', fields: { signal } },
      { level: 'info', message: 'stopped', fields: {} },
    ]);
  });

  it('goes on through a SIGHUP, which without a listener ends a process', async () => {
    const service = aService();
    await runService(() => service);

    expect(process.emit('SIGHUP', 'SIGHUP')).toBe(true);
    await settle();
    expect([service.told, exit.mock.calls]).toEqual([['start'], []]);
  });

  it.each(signals)(
    'is stopped in order also by a %s that comes while it starts',
    async (signal) => {
      let started = (): void => undefined;
      const service = aService({
        start: () =>
          new Promise((resolve) => {
            started = resolve;
          }),
      });
      const running = runService(() => service);
      await settle();

      expect(process.listenerCount(signal)).toBe(1);
      process.emit(signal, signal);
      await settle();
      expect([service.told, exit.mock.calls]).toEqual([[], []]);

      started();
      await running;
      await settle();
      expect([service.told, exit.mock.calls]).toEqual([['stop'], [[0]]]);
    },
  );

  it('ends with code 1 when a start that was asked to stop takes 25 seconds', async () => {
    void runService(() => aService({ start: () => new Promise(() => undefined) }));
    await settle();
    process.emit('SIGTERM', 'SIGTERM');
    await jest.advanceTimersByTimeAsync(25_000);

    expect(exit.mock.calls).toEqual([[1]]);
  });

  it.each([
    ['wrong settings', new SettingsError('DATABASE_URL is required'), settingsExitCode],
    ['anything else', new Error('DATABASE_URL is required'), 1],
  ])('is not begun with %s: one sentence for a person, and a code', async (_what, error, code) => {
    await runService(() => {
      throw error;
    });

    expect([stderr, exit.mock.calls]).toEqual([['DATABASE_URL is required\n'], [[code]]]);
    expect(signals.map((signal) => process.listenerCount(signal))).toEqual([0, 0]);
  });

  it('is over when a part cannot start: a line of the log, and code 1', async () => {
    const error = new Error('port 80 is in use');
    const service = aService({ start: () => Promise.reject(error) });
    await runService(() => service);

    expect([service.log.lines, exit.mock.calls, stderr]).toEqual([
      [{ level: 'error', message: 'could not start', fields: { error } }],
      [[1]],
      [],
    ]);
    expect(service.told).toEqual(['stop']);
  });

  it('ends with code 1 when a part does not stop well', async () => {
    const error = new Error('stuck');
    const service = aService({ stop: () => Promise.reject(error) });
    await runService(() => service);
    process.emit('SIGTERM', 'SIGTERM');
    await settle();

    expect(exit.mock.calls).toEqual([[1]]);
    expect(service.log.lines.at(-1)).toMatchObject({
      level: 'error',
      message: 'did not stop cleanly',
      fields: { error: { errors: [error] } },
    });
  });

  it('is given the time of its drain, and ten seconds, before it is ended', async () => {
    const service = {
      ...aService({ stop: () => new Promise(() => undefined) }),
      drainMs: 3_600_000,
    };
    await runService(() => service);
    process.emit('SIGTERM', 'SIGTERM');
    await jest.advanceTimersByTimeAsync(3_609_999);
    expect(exit).not.toHaveBeenCalled();

    await jest.advanceTimersByTimeAsync(1);
    expect(exit.mock.calls).toEqual([[1]]);
  });

  it('ends with code 1 when a part does not stop within 25 seconds', async () => {
    const service = aService({ stop: () => new Promise(() => undefined) });
    await runService(() => service);
    process.emit('SIGTERM', 'SIGTERM');
    await jest.advanceTimersByTimeAsync(24_999);
    expect(exit).not.toHaveBeenCalled();

    await jest.advanceTimersByTimeAsync(1);
    expect(exit.mock.calls).toEqual([[1]]);
    expect(service.log.lines.at(-1)).toMatchObject({
      level: 'error',
      message: 'did not stop in time',
    });
  });
});
