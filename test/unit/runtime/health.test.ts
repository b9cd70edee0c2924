import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createHealth } from '@gateway/runtime';

afterEach(() => {
  jest.useRealTimers();
});

describe('the readiness of a service', () => {
  it('is there without dependencies', async () => {
    expect(await createHealth({}).check()).toEqual({ ready: true, checks: {} });
  });

  it('is there when every dependency answers', async () => {
    const health = createHealth({
      postgres: () => Promise.resolve([1]),
      redis: () => Promise.resolve('PONG'),
    });

    expect(await health.check()).toEqual({ ready: true, checks: { postgres: 'ok', redis: 'ok' } });
  });

  it('names the dependency that fails, and why', async () => {
    const health = createHealth({
      postgres: () => Promise.resolve(),
      redis: () => Promise.reject(new Error('connect ECONNREFUSED')),
    });

    expect(await health.check()).toEqual({
      ready: false,
      checks: { postgres: 'ok', redis: 'connect ECONNREFUSED' },
    });
  });

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
      checks: { postgres: 'down', redis: 'closed', billing: 'ok' },
    });
  });

  it('waits two seconds for an answer, for all of them at the same time', async () => {
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
        postgres: expect.stringContaining('2000 ms'),
        redis: expect.stringContaining('2000 ms'),
        billing: 'ok',
      },
    });
  });

  it('leaves no timer behind once all have answered', async () => {
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

  it('ends for good when the service drains', async () => {
    const health = createHealth({ redis: () => Promise.resolve() });
    health.drain();

    expect(await health.check()).toEqual({
      ready: false,
      checks: { redis: 'ok', service: 'draining' },
    });
  });
});
