import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { recordedHashes } from '../../simulation/hashes.ts';
import { simulate, type Story } from '../../simulation/simulate.ts';

/** Of other seeds in each run. */
const briefWorlds = 100;

describe('a simulated world', () => {
  it('tells the recorded story on every machine and every Node, and comes to rest with everything as it has to be', async () => {
    const recorded = recordedHashes();
    const stories: Story[] = [];
    for (const seed of Object.keys(recorded)) {
      stories.push(await simulate({ seed: Number(seed), keepsTrace: true }));
    }

    // After a change that leads to other statements: npm run simulate -- --accept
    expect(Object.fromEntries(stories.map(({ seed, hash }) => [seed, hash]))).toEqual(recorded);
    expect(stories.flatMap(({ faults }) => faults)).toEqual([]);
    // A world in which nothing happened would show nothing.
    const told = stories.flatMap(({ lines }) => lines).join('\n');
    for (const happening of [
      /is killed/,
      /response was lost/,
      /creates/,
      /a receiver gets push/,
      /the clock of \S+ is -?\d+ ms ahead/,
      /is away/,
      /postgres is silent/,
      /has not responded for 9000 ms/,
      /a request is delivered again/,
      /calm/,
    ]) {
      expect(told).toMatch(happening);
    }
  });

  it('tells the same after others, and when PostgreSQL is asked everything again', async () => {
    const told = await simulate({ seed: 1, keepsTrace: true, asksAgain: true });

    expect(told.hash).toBe(recordedHashes()['1']);
  });

  it('comes to rest with everything as it has to be, whatever its seed', async () => {
    const first = randomInt(1, 100_000_000);
    const failed: string[] = [];
    for (let seed = first; seed < first + briefWorlds; seed += 1) {
      const { faults } = await simulate({ seed, isBrief: true });
      if (faults.length > 0) {
        failed.push(`npm run simulate -- --brief --seed ${seed}: ${faults.join('; ')}`);
      }
    }

    expect(failed).toEqual([]);
  });
});
