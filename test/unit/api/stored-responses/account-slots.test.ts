import { describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { createAccountSlots } from '../../../../services/api/src/adapters/stored-responses/account-slots.ts';

/** Work that ends when it is told to. */
function aWork(inTurn: ReturnType<typeof createAccountSlots>, accountId: string) {
  let end = (): void => undefined;
  const state = { begun: false };
  const done = inTurn(accountId, async () => {
    state.begun = true;
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  return {
    state,
    done,
    end: () => {
      end();
    },
  };
}

describe('the slots of an account', () => {
  it('are given in turn, and each account has its own', async () => {
    const inTurn = createAccountSlots({ most: 2, waitMs: 60_000 });
    const works = ['a', 'a', 'a', 'a', 'b'].map((accountId) => aWork(inTurn, accountId));
    const begun = () => works.map(({ state }) => state.begun);

    expect(begun()).toEqual([true, true, false, false, true]);
    works[1]!.end();
    await eventually(() => {
      expect(begun()).toEqual([true, true, true, false, true]);
    });
    works[0]!.end();
    await eventually(() => {
      expect(begun()).toEqual([true, true, true, true, true]);
    });
    for (const work of works) work.end();
    await Promise.all(works.map(({ done }) => done));
  });

  it('come free when work fails', async () => {
    const inTurn = createAccountSlots({ most: 1, waitMs: 60_000 });

    await expect(inTurn('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');

    expect(await inTurn('a', () => Promise.resolve(7))).toBe(7);
  });

  it('are waited for only so long, and then go to the next', async () => {
    const inTurn = createAccountSlots({ most: 1, waitMs: 10 });
    const first = aWork(inTurn, 'a');

    await expect(inTurn('a', () => Promise.resolve(1))).rejects.toMatchObject({
      code: 'overloaded',
    });
    first.end();
    await first.done;

    expect(await inTurn('a', () => Promise.resolve(2))).toBe(2);
  });
});
