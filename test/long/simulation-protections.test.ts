/** @workers behind: it only computes. */
import { describe, expect, it } from '@jest/globals';
import { protections, weakeningOf, without } from '../simulation/checks/protections.ts';
import { planFor } from '../simulation/actors/brief.ts';
import { shrink } from '../simulation/shrink.ts';
import { simulate } from '../simulation/simulate.ts';

describe('simulated worlds', () => {
  it.each(protections)(
    'show in the world of seed $seed that $name is missing',
    async (protection) => {
      const { seed, isBrief = false, lacks, guards = [] } = protection;
      const unguarded: { removed(): number }[] = [];
      const weaken = without(protection, (one) => unguarded.push(one));

      const { faults } = await simulate({ seed, isBrief, weaken, lacks });

      // A statement with another name by now is cut nowhere.
      const removed = unguarded.reduce((sum, one) => sum + one.removed(), 0);
      expect(removed > 0).toBe(guards.length > 0);
      expect(faults).toContainEqual(expect.stringMatching(protection.fault));
    },
    3_600_000,
  );

  it('shrink to the few faults with which they still fail', async () => {
    const intent = protections.find(({ key }) => key === 'intent');
    if (intent === undefined) throw new Error('there is no such protection');
    const options = { seed: intent.seed, ...weakeningOf(intent.key) };

    const shrunk = await shrink(options);

    const { faults: left, story } = shrunk ?? { faults: [], story: undefined };
    expect(left.length).toBeLessThan(planFor(options).faults.length / 2);
    expect(story?.faults).toContainEqual(expect.stringMatching(intent.fault));
    // The plan and the seed are all that such a world needs.
    const plan = { ...planFor(options), faults: left };
    expect((await simulate({ ...options, plan })).hash).toBe(story?.hash);
  }, 3_600_000);
});
