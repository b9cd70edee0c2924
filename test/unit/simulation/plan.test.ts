import { describe, expect, it } from '@jest/globals';
import { planFor } from '../../simulation/actors/brief.ts';
import type { Fault } from '../../simulation/actors/plan.ts';
import { protections } from '../../simulation/checks/protections.ts';
import { recordedHashes } from '../../simulation/hashes.ts';

const isNew = (fault: Fault): boolean =>
  fault.kind === 'share' ? fault.of === 'repeats' : fault.name === 'postgres silent';

const hasNew = (which: { readonly seed: number; readonly isBrief?: boolean }): boolean =>
  planFor(which).faults.some(isNew);

describe('the plan of a simulated world', () => {
  it.each([true, false])(
    'has repeats and silences in three worlds of 23, and in no other one (brief: %s)',
    (isBrief) => {
      const seeds = Array.from({ length: 460 }, (_, index) => index + 1);

      expect(seeds.filter((seed) => hasNew({ seed, isBrief }))).toEqual(
        seeds.filter((seed) => [5, 12, 18].includes(seed % 23)),
      );
    },
  );

  it('has none of them in worlds that were recorded, or missed a protection, before there were any', () => {
    expect(protections.filter(hasNew).map(({ key }) => key)).toEqual([
      'hold-once',
      'one-key-again',
    ]);
    const recorded = Object.keys(recordedHashes()).filter((seed) => hasNew({ seed: Number(seed) }));
    expect(recorded).toEqual(['5']);
  });
});
