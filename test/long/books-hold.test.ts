/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@gateway/testing';
import { morePools } from '../integration/store/books.ts';
import { searchFault } from '../integration/proof/model.ts';

let test: TestDatabase;
let replicas: ReturnType<typeof morePools>;
beforeAll(async () => {
  test = await openTestDatabase();
  replicas = morePools(test.url, 3);
});
afterAll(async () => {
  await replicas.close();
  await test.close();
});

/** Histories to run; a night takes thousands. */
const runs = Number(process.env['PROOF_RUNS'] ?? 12);
const seeds =
  process.env['PROOF_SEED'] === undefined
    ? [20_261_121, 4_711]
    : [Number(process.env['PROOF_SEED'])];

describe('the books against an independent auditor', () => {
  it.each(seeds)(
    'agree after every random history of three replicas whose connections are killed, seed %d',
    async (seed) => {
      const { fault, tally } = await searchFault({
        seed,
        runs,
        plain: test.database,
        replicas: replicas.databases,
      });

      expect(fault).toBeUndefined();
      expect(tally.runs).toBe(runs);
      const { outcomes } = tally;
      if (process.env['PROOF_RUNS'] !== undefined) {
        // eslint-disable-next-line no-console -- the figures of a long run are what it is for
        console.info(
          `${tally.runs} runs, ${tally.started} operations, ${tally.lost} responses lost, ${tally.killed} connections killed: ${[...outcomes].map(([name, count]) => `${name} ${count}`).join(', ')}`,
        );
      }
      // A proof that nothing happened in proves nothing.
      expect(
        [
          'held',
          'exists',
          'insufficient',
          'closed',
          'running',
          'succeeded',
          'failed',
          'cancelled',
          'expired',
        ].filter((name) => !outcomes.has(name)),
      ).toEqual([]);
      expect(tally.killed).toBeGreaterThan(runs);
      expect(tally.lost).toBeGreaterThan(0);
    },
    60_000 + runs * 5_000,
  );
});
