import { describe, expect, it } from '@jest/globals';
import { protections, without } from '../simulation/checks/protections.ts';
import { planOf } from '../simulation/actors/plan.ts';
import { shrink } from '../simulation/shrink.ts';
import { simulate } from '../simulation/simulate.ts';

const seedsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

/** Of `protections`: the first that shows that the intent is missing. */
const seedWithoutIntent = 1;

describe('simulated worlds', () => {
  it('come to rest with everything as it has to be, for 100 seeds', async () => {
    const faults: string[] = [];
    for (const seed of seedsFrom(101, 100)) {
      const story = await simulate({ seed });
      faults.push(...story.faults.map((fault) => `seed ${seed}: ${fault}`));
    }

    expect(faults).toEqual([]);
  }, 1_800_000);

  it.each(protections)(
    'show within $within seeds that $name is missing',
    async (protection) => {
      const found: string[] = [];
      let removed = 0;
      for (const seed of seedsFrom(1, protection.within)) {
        const unguarded: { removed(): number }[] = [];
        const weaken = without(protection, (one) => unguarded.push(one));
        found.push(...(await simulate({ seed, weaken })).faults);
        removed += unguarded.reduce((sum, one) => sum + one.removed(), 0);
        if (found.some((fault) => protection.fault.test(fault))) break;
      }

      // A statement with another name by now is cut nowhere.
      expect(removed).toBeGreaterThan(0);
      expect(found).toContainEqual(expect.stringMatching(protection.fault));
    },
    1_800_000,
  );

  it('shrink to the few faults with which they still fail', async () => {
    const intent = protections.find(({ key }) => key === 'intent');
    if (intent === undefined) throw new Error('there is no such protection');
    const options = { seed: seedWithoutIntent, weaken: without(intent) };

    const shrunk = await shrink(options);

    const { faults: left, story } = shrunk ?? { faults: [], story: undefined };
    expect(left.length).toBeLessThan(planOf(options.seed).faults.length / 2);
    expect(story?.faults).toContainEqual(expect.stringMatching(intent.fault));
    // The plan and the seed are all that such a world needs.
    const plan = { ...planOf(options.seed), faults: left };
    expect((await simulate({ ...options, plan })).hash).toBe(story?.hash);
  }, 1_800_000);
});
