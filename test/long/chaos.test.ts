import { describe, expect, it } from '@jest/globals';
import { reportOf } from '../chaos/report.ts';
import { runChaos } from '../chaos/run.ts';

/** The same code as `npm run chaos`, in small: everything that can go wrong goes wrong once. */
const short = {
  seed: 20_261_121,
  tasks: 48,
  texts: 6,
  forMs: 36_000,
  rounds: 1,
  workerPauseMs: 5_000,
  silencesMs: [4_000, 6_000],
  calmWithinMs: 60_000,
};

describe('the whole gateway while everything that can go wrong goes wrong', () => {
  it('loses no task, renders none twice, bills to the unit and pushes in order', async () => {
    const result = await runChaos({ ...short, print: () => undefined });

    const { performed, evidence, violations } = result;
    if (violations.length > 0) throw new Error(reportOf(result).join('\n'));
    // A run in which nothing happened would show nothing.
    expect(new Set(performed.map(({ kind }) => kind)).size).toBe(11);
    expect(
      evidence.stack.ended.filter(({ how }) => how === 'SIGKILL').length,
    ).toBeGreaterThanOrEqual(5);
    expect(
      evidence.tasks.filter(({ status }) => status === 'succeeded').length,
    ).toBeGreaterThanOrEqual(12);
    expect(result.money.invariants).toBeGreaterThanOrEqual(30);
    expect(result.vendor.creations).toBeGreaterThanOrEqual(15);
    expect(result.callbacks.delivered).toBeGreaterThanOrEqual(15);
  });
});
