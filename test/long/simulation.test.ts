/** @workers behind: it only computes. */
import { describe, expect, it } from '@jest/globals';
import { protections, weakeningOf, without } from '../simulation/checks/protections.ts';
import { planFor } from '../simulation/actors/brief.ts';
import { shrink } from '../simulation/shrink.ts';
import { simulate } from '../simulation/simulate.ts';
import { simulateInProcesses } from '../simulation/workers.ts';

const seedsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

describe('simulated worlds', () => {
  it('come to rest with everything as it has to be, for 120 seeds and a thousand hours', async () => {
    const faults: string[] = [];
    let simulatedMs = 0;
    const asks = seedsFrom(101, 120).map((seed) => ({ seed, without: undefined }));
    await simulateInProcesses({ asks, workers: 2 }, (story) => {
      simulatedMs += story.simulatedMs;
      faults.push(...story.faults.map((fault) => `seed ${story.seed}: ${fault}`));
    });

    expect(faults).toEqual([]);
    expect(simulatedMs / 3_600_000).toBeGreaterThan(1_000);
  }, 1_800_000);

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
    1_800_000,
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
  }, 1_800_000);
});
