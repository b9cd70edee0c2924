import { describe, expect, it } from '@jest/globals';
import { inTurn } from '../../../../services/api/src/text/hot-path/turn-start.ts';

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Begins so many named ones in this turn; notes each when it begins. */
function arrive(count: number, { from = 0, begun }: { from?: number; begun: number[] }): void {
  for (let index = from; index < from + count; index += 1) {
    inTurn(() => {
      begun.push(index);
    });
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('requests that come in one turn', () => {
  it('begin at once as long as they are few', async () => {
    const begun: number[] = [];
    arrive(8, { begun });
    expect(begun).toEqual(upTo(8));
    await turn();
    arrive(8, { from: 8, begun });
    expect(begun).toEqual(upTo(16));
    await turn();
  });

  it('begin in the turns that follow where they are many, in the order in which they came', async () => {
    const begun: number[] = [];
    const seen: number[] = [];
    arrive(600, { begun });
    for (let after = 0; begun.length < 660; after += 1) {
      seen.push(begun.length);
      await turn();
      // Whoever comes meanwhile is behind all that wait.
      if (after === 1) arrive(60, { from: 600, begun });
    }
    expect(seen).toEqual(upTo(seen.length).map((index) => 8 * (index + 1)));
    expect(begun).toEqual(upTo(660));
    await turn();
    arrive(8, { from: 660, begun });
    expect(begun).toHaveLength(668);
    await turn();
  });
});
