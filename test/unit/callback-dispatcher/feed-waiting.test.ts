import { describe, expect, it } from '@jest/globals';
import {
  createFeedWaiting,
  longestHoldBackMs,
} from '../../../services/callback-dispatcher/src/use-cases/feed-waiting.ts';
import { createFlow } from '../../../services/callback-dispatcher/src/use-cases/flow.ts';

const dead = 'acct_1 https://dead.example';
const slow = 'acct_2 https://slow.example';

interface Row {
  readonly callbackId: string;
  readonly heldBackMs: number;
}
const rows = (prefix: string, count: number, heldBackMs = 0): Row[] =>
  Array.from({ length: count }, (_, index) => ({ callbackId: `${prefix}_${index}`, heldBackMs }));

/** A feeder over rows that wait; whoever is woken begins an attempt, and its row is gone. */
function aFeeder(waitingRows: Readonly<Record<string, readonly Row[]>>) {
  let time = 0;
  let isAway = false;
  const left = new Map(Object.entries(waitingRows).map(([name, all]) => [name, [...all]]));
  const flow = createFlow(
    { maxInFlight: 400, maxPerOrigin: 32, maxPerAccount: 64, slowAfterMs: 1_000 },
    () => time,
  );
  const woken: string[] = [];
  const asked: string[] = [];
  const feeder = createFeedWaiting({
    flow,
    now: () => time,
    findWaiting(requests) {
      asked.push(...requests.map(({ receiver }) => receiver));
      if (isAway) return Promise.reject(new Error('the store is away'));
      return Promise.resolve(
        requests.flatMap(({ receiver, limit }) =>
          (left.get(receiver) ?? []).slice(0, limit).map((row) => ({ ...row, receiver })),
        ),
      );
    },
    findWaitedFor: ({ after }) =>
      Promise.resolve([...left.keys()].sort().filter((name) => name > after)),
    wakeAll(callbackIds) {
      woken.push(...callbackIds);
      for (const [name, all] of left) {
        left.set(
          name,
          all.filter(({ callbackId }) => !callbackIds.includes(callbackId)),
        );
      }
      return Promise.resolve();
    },
  });
  return {
    ...feeder,
    flow,
    woken,
    asked,
    pass: (ms: number) => {
      time += ms;
    },
    setAway: (away: boolean) => {
      isAway = away;
    },
    waitAgain: (receiver: string, row: Row) => {
      left.get(receiver)?.unshift(row);
      feeder.note(receiver);
    },
  };
}

describe('feeding pushes that wait for their receivers', () => {
  it('wakes as many as the receiver may get, oldest first, and the rest when those have ended', async () => {
    const { note, feed, woken, flow } = aFeeder({ [slow]: rows('task', 6) });
    note(slow);

    await feed();
    await feed();
    expect(woken).toEqual(['task_0', 'task_1']);

    for (let count = 0; count < 2; count += 1) {
      const begun = flow.begin(slow);
      if (typeof begun !== 'string') begun.end();
    }
    await feed();
    expect(woken).toHaveLength(6);
  });

  it('asks no more for a receiver that nothing waits for, until something does', async () => {
    const { note, feed, asked, size, flow } = aFeeder({ [slow]: [] });
    note(slow);

    await feed();
    await feed();

    expect(asked).toEqual([slow]);
    expect(size()).toBe(0);
    expect(flow.begin(slow)).toMatchObject({ end: expect.any(Function) });
  });

  it('finds those that others have left waiting', async () => {
    const { findAll, feed, woken } = aFeeder({ [dead]: rows('a', 1), [slow]: rows('b', 1) });

    await findAll();
    await feed();

    expect(woken.sort()).toEqual(['a_0', 'b_0']);
  });

  it('tries one push of a receiver that is skipped, less and less often, and those that have waited too long', async () => {
    const { note, rest, feed, woken, pass, waitAgain } = aFeeder({
      [dead]: [...rows('old', 2, longestHoldBackMs + 1), ...rows('task', 20)],
    });
    note(dead);
    rest(dead, 'breaker');
    await feed();
    expect(woken).toEqual([]);

    pass(250);
    await feed();
    expect(woken.splice(0)).toEqual(['old_0', 'old_1']);

    const tries: number[] = [];
    for (let ms = 0; ms < 20_000; ms += 50) {
      pass(50);
      await feed();
      for (const callbackId of woken.splice(0)) {
        tries.push(ms);
        rest(dead, 'breaker');
        waitAgain(dead, { callbackId, heldBackMs: 0 });
      }
    }
    expect(tries).toEqual([450, 1_450, 3_450, 7_450, 15_450]);
  });

  it('leaves it alone no longer once it has responded', async () => {
    const { note, rest, responded, feed, woken } = aFeeder({ [dead]: rows('task', 2) });
    note(dead);
    rest(dead, 'breaker');

    responded(dead);
    await feed();

    expect(woken).toHaveLength(2);
  });

  it('waits a moment while other replicas have all slots', async () => {
    const { note, rest, feed, woken, pass } = aFeeder({ [slow]: rows('task', 1) });
    note(slow);
    rest(slow, 'slots');
    await feed();
    expect(woken).toEqual([]);

    pass(200);
    await feed();

    expect(woken).toEqual(['task_0']);
  });

  it('asks a store that is away once a second', async () => {
    const { note, feed, woken, asked, pass, setAway } = aFeeder({ [slow]: rows('task', 1) });
    note(slow);
    setAway(true);
    await expect(feed()).rejects.toThrow('the store is away');
    await feed();
    expect(asked).toHaveLength(1);

    setAway(false);
    pass(1_000);
    await feed();

    expect(woken).toEqual(['task_0']);
  });
});
