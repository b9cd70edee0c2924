/** @workers behind: it only computes. */
import { describe, expect, it } from '@jest/globals';
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
  }, 3_600_000);
});
