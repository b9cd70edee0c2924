import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createHealth } from '@gateway/runtime';

afterEach(() => {
  jest.useRealTimers();
});

describe('the readiness of a service', () => {
  it('is there without dependencies', async () => {
    expect(await createHealth({}).check()).toEqual({ ready: true, checks: {}, reasons: {} });
  });

  it('is there when every dependency responds', async () => {
    const health = createHealth({
      postgres: () => Promise.resolve([1]),
      redis: () => Promise.resolve('PONG'),
    });

    expect(await health.check()).toEqual({
      ready: true,
      checks: { postgres: 'ok', redis: 'ok' },
      reasons: {},
    });
  });

  const coded = (message: string, code: string, cause?: unknown): Error =>
    Object.assign(new Error(message, { cause }), { code });

  it.each<[string, unknown, string]>([
    [
      'of a connection',
      coded('connect ECONNREFUSED 10.0.0.7:5432', 'ECONNREFUSED'),
      'ECONNREFUSED',
    ],
    ['of a store', coded('password authentication failed for "gateway"', '28P01'), '28P01'],
    ['of its cause', new Error('no', { cause: coded('at /data/x', 'ENOENT') }), 'ENOENT'],
    ['that is a sentence, which stays inside', coded('no', 'see http://10.0.0.7'), 'failed'],
    ['that is missing', new Error('Connection to 10.0.0.7 is closed.'), 'failed'],
    ['of what is no error', 'postgres://gateway:secret@10.0.0.7', 'failed'],
  ])(
    'names the dependency that fails with its code, never its address: a code %s',
    async (...[, thrown, code]) => {
      const health = createHealth({
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what a library may do
        postgres: () => Promise.reject(thrown),
        redis: () => Promise.resolve(),
      });

      const { ready, checks, reasons } = await health.check();
      expect([ready, checks]).toEqual([false, { postgres: code, redis: 'ok' }]);
      expect(reasons).toEqual({ postgres: expect.stringMatching(/./) });
    },
  );

  it('names every one that fails, also one that throws at once', async () => {
    const health = createHealth({
      postgres: () => Promise.reject(new Error('down')),
      redis: () => {
        throw new Error('closed');
      },
      billing: () => Promise.resolve(),
    });

    expect(await health.check()).toEqual({
      ready: false,
      checks: { postgres: 'failed', redis: 'failed', billing: 'ok' },
      reasons: { postgres: 'down', redis: 'closed' },
    });
  });

  it('waits two seconds for a response, for all of them at the same time', async () => {
    jest.useFakeTimers();
    const silent = (): Promise<never> => new Promise(() => undefined);
    const checked = createHealth({
      postgres: silent,
      redis: silent,
      billing: () => Promise.resolve(),
    }).check();
    let settled = false;
    void checked.then(() => {
      settled = true;
    });

    await jest.advanceTimersByTimeAsync(1_999);
    expect(settled).toBe(false);

    await jest.advanceTimersByTimeAsync(1);
    expect(await checked).toEqual({
      ready: false,
      checks: {
        postgres: 'timeout',
        redis: 'timeout',
        billing: 'ok',
      },
      reasons: {
        postgres: expect.stringContaining('2000 ms'),
        redis: expect.stringContaining('2000 ms'),
      },
    });
  });

  it('leaves no timer behind once all have responded', async () => {
    jest.useFakeTimers();
    await createHealth({
      good: () => Promise.resolve(),
      bad: () => Promise.reject(new Error('down')),
    }).check();

    expect(jest.getTimerCount()).toBe(0);
  });

  it('comes back with the dependency', async () => {
    let up = false;
    const health = createHealth({
      redis: () => (up ? Promise.resolve() : Promise.reject(new Error('down'))),
    });
    expect(await health.check()).toMatchObject({ ready: false });

    up = true;
    expect(await health.check()).toMatchObject({ ready: true });
  });

  it('is there only between start and stop', async () => {
    const health = createHealth({ redis: () => Promise.resolve() });
    for (const phase of ['starting', 'draining'] as const) {
      health.enter(phase);

      expect(await health.check()).toEqual({
        ready: false,
        checks: { redis: 'ok', service: phase },
        reasons: {},
      });
    }
    health.enter('running');

    expect(await health.check()).toMatchObject({ ready: true });
  });
});
