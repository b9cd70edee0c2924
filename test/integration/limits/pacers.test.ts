import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PacerPermit } from '@gateway/limits';
import { eventually } from '@gateway/testing';
import { openDeployment, type Deployment, type Replica } from './replicas.ts';

let deployment: Deployment;
beforeEach(() => {
  deployment = openDeployment();
});
afterEach(() => deployment.close());

/** When each granted call is made, in ms of this process's clock. */
async function calls(
  replicas: readonly Replica[],
  { perSecond, count }: { perSecond: number; count: number },
): Promise<number[]> {
  const moments = await Promise.all(
    Array.from({ length: count }, async (_unused, index) => {
      const { granted, waitMs } = await replicas[index % replicas.length]!.pacers.take('vendor', {
        perSecond,
        horizonMs: 60_000,
      });
      return granted ? performance.now() + waitMs : -1;
    }),
  );
  return moments.sort((one, other) => one - other);
}

describe('the pace of calls to a vendor over two replicas', () => {
  it('gives every call a moment of its own, no second more than its share', async () => {
    const replicas = [await deployment.replica(), await deployment.replica()];

    const begun = performance.now();
    const moments = await calls(replicas, { perSecond: 50, count: 150 });

    // What a call waits on its way makes it later, never earlier, so this holds on any machine.
    const tooEarly = moments.filter((moment, index) => moment < begun + index * 20 - 2);
    expect(tooEarly).toEqual([]);
    expect(moments.at(-1)! - begun).toBeLessThan(6_000);
  });

  it('saves nothing up while nobody calls', async () => {
    const one = await deployment.replica();
    await one.pacers.take('vendor', { perSecond: 0.5, horizonMs: 0 });
    await eventually(async () => {
      expect((await one.pacers.take('vendor', { perSecond: 0.5, horizonMs: 0 })).granted).toBe(
        true,
      );
    });

    const decisions = await Promise.all(
      [1, 2, 3].map(() => one.pacers.take('vendor', { perSecond: 0.5, horizonMs: 0 })),
    );

    expect(decisions.filter(({ granted }) => granted)).toHaveLength(0);
  });

  it('lets a create book ahead where a poll is put off, and says until when', async () => {
    const [one, two] = [await deployment.replica(), await deployment.replica()];
    const poll = (): Promise<PacerPermit> =>
      one.pacers.take('vendor', { perSecond: 0.5, horizonMs: 100 });

    const first = await poll();
    const putOff = await poll();
    const create = await two.pacers.take('vendor', { perSecond: 0.5, horizonMs: 5_000 });

    expect(first).toEqual({ granted: true, waitMs: 0 });
    expect(putOff.granted).toBe(false);
    expect(putOff.waitMs).toBeGreaterThan(1_000);
    expect(create.granted).toBe(true);
    expect(create.waitMs).toBeLessThanOrEqual(2_000);
  });

  it('asks for the create first when both wait for the same trip', async () => {
    const one = await deployment.replica();
    await one.pacers.take('other', { perSecond: 1, horizonMs: 0 });
    const trip = one.pacers.take('vendor', { perSecond: 1, horizonMs: 0 });

    const [poll, create] = await Promise.all([
      one.pacers.take('vendor', { perSecond: 1, horizonMs: 2_000 }),
      one.pacers.take('vendor', { perSecond: 1, horizonMs: 5_000 }),
    ]);

    expect((await trip).granted).toBe(true);
    expect(create.waitMs).toBeLessThan(poll.waitMs);
  });

  it('is kept by each replica alone while Redis is away', async () => {
    const replicas = [
      await deployment.replica({ isCut: true }),
      await deployment.replica({ isCut: true }),
    ];

    const decisions = await Promise.all(
      [...replicas, ...replicas].map(({ pacers: paces }) =>
        paces.take('vendor', { perSecond: 10, horizonMs: 0 }),
      ),
    );

    expect(decisions.map(({ granted }) => granted)).toEqual([true, true, false, false]);
    expect(decisions[2]!.waitMs).toBeGreaterThan(50);
  });

  it('goes on alone when Redis goes away under way', async () => {
    const one = await deployment.replica();
    await one.pacers.take('vendor', { perSecond: 10, horizonMs: 0 });
    one.die();

    await eventually(async () => {
      expect((await one.pacers.take('vendor', { perSecond: 1, horizonMs: 0 })).granted).toBe(true);
    });
    await expect(one.pacers.take('vendor', { perSecond: 1, horizonMs: 0 })).resolves.toMatchObject({
      granted: false,
    });
  });
});
