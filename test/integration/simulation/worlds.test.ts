import { describe, expect, it } from '@jest/globals';
import { simulate } from '../../simulation/simulate.ts';

describe('a simulated world', () => {
  it('tells the same story for the same seed, and comes to rest with everything as it has to be', async () => {
    const stories = [];
    // The first one again after others: nothing of a world is left in the next.
    for (const seed of [1, 2, 3, 1]) stories.push(await simulate({ seed, keepsTrace: true }));

    const [first, second, , again] = stories;
    expect(again?.lines).toEqual(first?.lines);
    expect(again?.hash).toBe(first?.hash);
    expect(second?.hash).not.toBe(first?.hash);
    expect(stories.flatMap(({ faults }) => faults)).toEqual([]);
    // A world in which nothing happened would show nothing.
    const told = stories.flatMap(({ lines }) => lines).join('\n');
    for (const happening of [
      /is killed/,
      /response was lost/,
      /creates/,
      /a receiver gets push/,
      /calm/,
    ]) {
      expect(told).toMatch(happening);
    }
  });
});
