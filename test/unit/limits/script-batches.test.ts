import { describe, expect, it } from '@jest/globals';
import {
  createScriptBatches,
  type BatchedCall,
} from '../../../packages/limits/src/script-batches.ts';

const callOf = (key: string): BatchedCall => ({ script: 'takeRate', key, values: [1] });

describe('decisions asked of Redis', () => {
  it('in one turn of the event loop go in one trip, in their order', async () => {
    const trips: string[][] = [];
    const run = createScriptBatches((calls) => {
      trips.push(calls.map(({ key }) => key));
      return Promise.resolve(calls.map(({ key }) => `for ${key}`));
    });
    const first = await Promise.all(['a', 'b', 'c'].map((key) => run(callOf(key))));
    const next = await run(callOf('d'));

    expect(trips).toEqual([['a', 'b', 'c'], ['d']]);
    expect([...first, next]).toEqual(['for a', 'for b', 'for c', 'for d']);
  });

  it('go in several trips when there are many, so that none holds Redis up', async () => {
    const trips: number[] = [];
    const run = createScriptBatches((calls) => {
      trips.push(calls.length);
      return Promise.resolve(calls.map(() => 1));
    });
    await Promise.all(Array.from({ length: 150 }, (_, index) => run(callOf(String(index)))));

    expect(trips).toEqual([64, 64, 22]);
  });

  it.each<[string, (calls: readonly BatchedCall[]) => Promise<unknown[]>, string[]]>([
    [
      'one by one, where one of them fails',
      (calls) => Promise.resolve(calls.map(({ key }) => (key === 'b' ? new Error('bad') : 1))),
      ['fulfilled', 'rejected', 'fulfilled'],
    ],
    [
      'those without a result, where Redis returns too few',
      () => Promise.resolve([1]),
      ['fulfilled', 'rejected', 'rejected'],
    ],
    [
      'all of a trip that fails',
      () => Promise.reject(new Error('away')),
      ['rejected', 'rejected', 'rejected'],
    ],
  ])('reject %s', async (_what, send, expected) => {
    const run = createScriptBatches(send);
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((key) => run(callOf(key))));

    expect(outcomes.map(({ status }) => status)).toEqual(expected);
  });
});
