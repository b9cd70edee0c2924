import { describe, expect, it } from '@jest/globals';
import type { QueuePosition } from '@gateway/store';
import { createQueuePositions } from '../../../services/api/src/adapters/queue-positions.ts';

const task = (id: string, { accountId = 'account', provider = 'vendor' } = {}) => ({
  id,
  accountId,
  vendor: {
    provider,
    kind: 'ark' as const,
    baseUrl: '',
    credentialId: '',
    upstreamModel: '',
    taskId: null,
  },
});

/** A clock that stands still, and a database that knows these positions. */
function stage(known: Readonly<Record<string, QueuePosition>>) {
  const state = { nowMs: 5_000, asked: [] as string[] };
  const positions = createQueuePositions({
    nowMs: () => state.nowMs,
    queuePositions: (ids) => {
      state.asked.push(...ids);
      return Promise.resolve(
        new Map(ids.flatMap((id) => (known[id] === undefined ? [] : [[id, known[id]] as const]))),
      );
    },
  });
  return { state, positions };
}

describe('positions in a queue', () => {
  it('are what the database says, without those that it cannot tell', async () => {
    const { positions } = stage({ b: 7, c: 8, d: 'far' });
    await expect(positions(['a', 'b', 'c', 'd'].map((id) => task(id)))).resolves.toEqual(
      new Map([
        ['b', 7],
        ['c', 8],
      ]),
    );
  });

  it('are not asked for behind a task that stands too far back, for a second', async () => {
    const { state, positions } = stage({ m: 'far', n: 'far', z: 'far' });
    await positions([task('m')]);
    await positions([task('z')]);
    state.nowMs += 999;
    await positions([task('n')]);
    expect(state.asked).toEqual(['m']);

    state.nowMs += 1;
    await positions([task('n')]);
    expect(state.asked).toEqual(['m', 'n']);
  });

  it('are asked for by one of many tasks that come when the second is over', async () => {
    const { state, positions } = stage({ m: 'far', n: 'far', o: 'far', l: 'far' });
    await positions([task('m')]);
    state.nowMs += 1_000;
    const all = Promise.all(['n', 'o', 'n', 'l'].map((id) => positions([task(id)])));
    // A task before that one need not wait: its own position may be another.
    expect(state.asked).toEqual(['m', 'n', 'l']);
    await all;
    expect(state.asked).toEqual(['m', 'n', 'l']);
  });

  it('are told to those who waited for another, once the queue is short again', async () => {
    const known: Record<string, QueuePosition> = { m: 'far' };
    const { state, positions } = stage(known);
    await positions([task('m')]);
    state.nowMs += 1_000;
    Object.assign(known, { n: 3, o: 4, p: 5 });
    const found = await Promise.all(['n', 'o'].map((id) => positions([task(id)])));
    expect(found.map((each) => [...each])).toEqual([[['n', 3]], [['o', 4]]]);

    // In a short queue nobody waits for another.
    const both = Promise.all(['o', 'p'].map((id) => positions([task(id)])));
    expect(state.asked).toEqual(['m', 'n', 'o', 'o', 'p']);
    await both;
  });

  it('are asked for again where the task that was to find out could not', async () => {
    const answers: (() => Promise<Map<string, QueuePosition>>)[] = [
      () => Promise.resolve(new Map([['m', 'far']])),
      () => Promise.reject(new Error('away')),
      () => Promise.resolve(new Map([['o', 4]])),
    ];
    const state = { nowMs: 0 };
    const positions = createQueuePositions({
      nowMs: () => state.nowMs,
      queuePositions: () => answers.shift()!(),
    });
    await positions([task('m')]);
    state.nowMs += 1_000;
    const [first, second] = await Promise.allSettled(['n', 'o'].map((id) => positions([task(id)])));
    expect(first!.status).toBe('rejected');
    expect(second).toEqual({ status: 'fulfilled', value: new Map([['o', 4]]) });
  });

  it('are asked for before that task, at another vendor, and for another account', async () => {
    const { state, positions } = stage({ m: 'far', c: 3, x: 1, y: 2 });
    await positions([task('m')]);
    await expect(
      positions([task('c'), task('x', { provider: 'other' }), task('y', { accountId: 'other' })]),
    ).resolves.toEqual(
      new Map([
        ['c', 3],
        ['x', 1],
        ['y', 2],
      ]),
    );
    expect(state.asked).toEqual(['m', 'c', 'x', 'y']);
  });

  it('of a page are not asked for once the first of its line stands too far back', async () => {
    const { state, positions } = stage({ a: 'far', b: 'far', c: 'far', d: 4, e: 5 });
    const page = [
      task('e', { provider: 'other' }),
      task('d', { provider: 'other' }),
      task('c'),
      task('b'),
      task('a'),
    ];
    await expect(positions(page)).resolves.toEqual(
      new Map([
        ['d', 4],
        ['e', 5],
      ]),
    );
    expect(state.asked.sort()).toEqual(['a', 'd', 'e']);
  });

  it('fail as the database does', async () => {
    const positions = createQueuePositions({
      queuePositions: () => Promise.reject(new Error('away')),
    });
    await expect(positions([task('a')])).rejects.toThrow('away');
  });
});
