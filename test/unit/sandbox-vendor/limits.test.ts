import { describe, expect, it } from '@jest/globals';
import { createRateLimiter } from '../../../services/sandbox-vendor/src/tasks/limits.ts';
import { createRunningSlots } from '../../../services/sandbox-vendor/src/tasks/running-slots.ts';
import { createFaults, type Fault } from '../../../services/sandbox-vendor/src/control/faults.ts';

describe('a request rate', () => {
  it('lets no more than the limit through in any stretch of the window', () => {
    let now = 0;
    const limiter = createRateLimiter({ limit: 3, windowMs: 1_000, now: () => now });
    const at = (ms: number): boolean => {
      now = ms;
      return limiter.take();
    };

    expect([at(0), at(500), at(900), at(999)]).toEqual([true, true, true, false]);
    expect([at(1_000), at(1_001), at(1_499)]).toEqual([true, false, false]);
    expect([at(1_500), at(1_900), at(1_999), at(2_000)]).toEqual([true, true, false, true]);
  });

  it.each([1, 20, 600])('of %i lets exactly that many through at once', (limit) => {
    const limiter = createRateLimiter({ limit, windowMs: 1_000, now: () => 0 });

    expect(Array.from({ length: limit + 5 }, () => limiter.take()).filter(Boolean)).toHaveLength(
      limit,
    );
  });
});

describe('slots for running tasks', () => {
  const never = new AbortController().signal;

  it('are given by priority, then in the order of asking', async () => {
    const slots = createRunningSlots(1);
    const order: string[] = [];
    const release = await slots.take(0, never);
    const waiting = (
      [
        ['a', 0],
        ['b', 5],
        ['c', 0],
        ['d', 5],
      ] as const
    ).map(async ([name, priority]) => {
      const done = await slots.take(priority, never);
      order.push(name);
      done();
    });

    release();
    await Promise.all(waiting);

    expect(order).toEqual(['b', 'd', 'a', 'c']);
  });

  it('are not lost when a waiting task gives up or a slot is given back twice', async () => {
    const slots = createRunningSlots(1);
    const impatient = new AbortController();
    const release = await slots.take(0, never);
    const given = slots.take(9, impatient.signal);
    const next = slots.take(0, never);

    impatient.abort();
    await expect(given).rejects.toMatchObject({ name: 'AbortError' });
    release();
    release();
    await next;
    const last = slots.take(0, never);

    expect(await Promise.race([last.then(() => 'granted'), Promise.resolve('waiting')])).toBe(
      'waiting',
    );
    (await next)();
    await last;
  });

  it('are refused to a task that has already ended', async () => {
    await expect(createRunningSlots(1).take(0, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

describe('faults', () => {
  it('meet as many requests of their kind as was said, the one added first at first', () => {
    const faults = createFaults();
    const fault = (fields: Partial<Fault>): Fault => ({
      operation: 'get',
      action: 'status',
      times: 1,
      status: 503,
      delay_ms: 0,
      ...fields,
    });
    faults.add(fault({ times: 2 }));
    faults.add(fault({ operation: 'create', action: 'drop-after' }));
    faults.add(fault({ action: 'garbage' }));

    expect(
      ['get', 'get', 'get', 'get', 'list', 'create'].map(
        (operation) => faults.take(operation as Fault['operation'])?.action,
      ),
    ).toEqual(['status', 'status', 'garbage', undefined, undefined, 'drop-after']);
    expect(faults.list()).toEqual([]);
  });
});
