import { describe, expect, it } from '@jest/globals';
import {
  countUnderWay,
  createVendorTrials,
  isServing,
  mayBeUnderWay,
  mostUnderWay,
} from '../../../packages/limits/src/vendor-trials.ts';

const now = 100_000;
const lately = now - 29_999;
const longAgo = now - 30_000;

describe('submissions that may be under way at a vendor', () => {
  it.each([
    ['nobody has heard of', { failures: 0, servedAt: -Infinity }, 5],
    ['that served one long ago', { failures: 0, servedAt: longAgo }, 5],
    ['that serves', { failures: 0, servedAt: lately }, Infinity],
    ['that served, and begins to fail', { failures: 1, servedAt: lately }, 4],
    ['that fails', { failures: 4, servedAt: longAgo }, 1],
    ['that fails again and again without opening the breaker', { failures: 90, servedAt: 0 }, 1],
  ])('%s', (_name, known, most) => {
    expect(mostUnderWay({ underWay: new Map(), ...known }, { now, failuresToOpen: 5 })).toBe(most);
  });

  it('are of one account by half at most', () => {
    const trials = createVendorTrials();
    const may = (account: string): boolean =>
      mayBeUnderWay(trials, account, { now, failuresToOpen: 5 });
    const begin = (account: string): void => {
      countUnderWay(trials, account, 1);
    };
    for (const account of ['a', 'a', 'a']) begin(account);
    expect([may('a'), may('b')]).toEqual([false, true]);
    for (const account of ['b', 'b']) begin(account);
    expect([may('a'), may('b'), may('c')]).toEqual([false, false, false]);

    countUnderWay(trials, 'a', -1);
    expect([may('a'), may('b')]).toEqual([true, true]);
    for (const account of ['a', 'a', 'b', 'b']) countUnderWay(trials, account, -1);
    expect(trials.underWay.size).toBe(0);
  });

  it('tell of a vendor that serves for half a minute', () => {
    expect(
      [lately, longAgo].map((servedAt) =>
        isServing({ underWay: new Map(), failures: 9, servedAt }, now),
      ),
    ).toEqual([true, false]);
  });
});
