import { describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import type { RedisConnection } from '../../../packages/limits/src/redis-connection.ts';
import { createSlots } from '../../../packages/limits/src/slots.ts';

interface Declared {
  readonly key: string;
  readonly inUse: number;
}

/** A connection that grants everything asked for, and all that it was told, turn by turn. */
function openRedis() {
  const turns: Declared[][] = [];
  let tell = (_message: { kind: 'slots_wanted'; name: string }): void => undefined;
  let isNewTurn = true;
  const redis: RedisConnection = {
    isUp: () => true,
    run({ key, values = [] }) {
      if (isNewTurn) {
        isNewTurn = false;
        turns.push([]);
        setImmediate(() => {
          isNewTurn = true;
        });
      }
      turns.at(-1)?.push({ key, inUse: Number(values[1]) });
      return Promise.resolve([Number(values[2]) + Number(values[3]), 0]);
    },
    tell: () => undefined,
    onUp: () => undefined,
    onMessage(listener) {
      tell = listener;
    },
    check: () => Promise.resolve(),
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const slots = createSlots({
    redis,
    now: () => performance.now(),
    replicaId: 'one',
    leaseMs: 15_000,
    wantedMs: 5_000,
    retryMs: 20,
    patienceMs: 60,
    forgetAfterMs: 120_000,
  });
  return {
    slots,
    turns,
    want: (name: string) => {
      tell({ kind: 'slots_wanted', name });
    },
  };
}

const subjects = Array.from({ length: 30 }, (_, index) => `key_${index}`);
describe('slots of subjects that ask seldom', () => {
  it('go back together, not each as its request ends', async () => {
    const { slots, turns } = openRedis();
    const held = await Promise.all(subjects.map(async (subject) => slots.acquire(subject, 100)));
    for (const slot of held) slot?.release();
    expect(turns.flat()).toHaveLength(subjects.length);

    await eventually(() => {
      expect(turns.map(({ length }) => length)).toEqual([subjects.length, subjects.length]);
    });
    await slots.close();
  });

  it.each([1, 20])('go back at once where there are no more than %i', async (limit) => {
    const { slots, turns } = openRedis();
    (await slots.acquire('key', limit))?.release();

    expect(turns.flat()).toHaveLength(2);
    await slots.close();
  });

  it('go back at once when another replica wants them', async () => {
    const { slots, turns, want } = openRedis();
    (await slots.acquire('key', 100))?.release();
    expect(turns.flat()).toHaveLength(1);

    want('key');

    expect(turns.flat()).toHaveLength(2);
    await slots.close();
  });

  it('serve the next request of their subject without a call', async () => {
    const { slots, turns } = openRedis();
    (await slots.acquire('key', 100))?.release();

    expect(slots.acquire('key', 100)).not.toBeInstanceOf(Promise);
    expect(turns.flat()).toHaveLength(1);
    await slots.close();
  });

  it('stay where they are used again meanwhile', async () => {
    const { slots, turns } = openRedis();
    (await slots.acquire('key', 100))?.release();
    await slots.acquire('key', 100);
    (await slots.acquire('other', 100))?.release();
    const declared = (subject: string): Declared[] =>
      turns.flat().filter(({ key }) => key === `slots:${subject}`);
    await eventually(() => {
      expect(declared('other')).toHaveLength(2);
    });

    expect(declared('key')).toEqual([{ key: 'slots:key', inUse: 0 }]);
    await slots.close();
  });
});
