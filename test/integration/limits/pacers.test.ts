import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PacerPermit } from '@gateway/limits';
import { eventually } from '@gateway/testing';
import { openDeployment, type Deployment, type Replica } from './replicas.ts';

let deployment: Deployment;
beforeEach(() => {
  deployment = openDeployment();
});
afterEach(() => deployment.close(), 30_000);

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

    const moments = await calls(replicas, { perSecond: 50, count: 150 });

    // What the way from Redis takes is not the same for all.
    const mostInASecond = Math.max(
      ...moments.map(
        (start) => moments.filter((each) => each >= start && each < start + 950).length,
      ),
    );
    expect(moments[0]).toBeGreaterThan(0);
    expect(mostInASecond).toBeLessThanOrEqual(50);
    expect(moments.at(-1)! - moments[0]!).toBeGreaterThan(2_900);
    expect(moments.at(-1)! - moments[0]!).toBeLessThan(3_500);
  });

  it('saves nothing up while nobody calls', async () => {
    const one = await deployment.replica();
    await one.pacers.take('vendor', { perSecond: 2, horizonMs: 0 });
    await eventually(async () => {
      expect((await one.pacers.take('vendor', { perSecond: 2, horizonMs: 0 })).granted).toBe(true);
    });

    const decisions = await Promise.all(
      [1, 2, 3].map(() => one.pacers.take('vendor', { perSecond: 2, horizonMs: 0 })),
    );

    expect(decisions.filter(({ granted }) => granted)).toHaveLength(0);
  });

  it('lets a create book ahead where a look is put off, and says until when', async () => {
    const [one, two] = [await deployment.replica(), await deployment.replica()];
    const look = (): Promise<PacerPermit> =>
      one.pacers.take('vendor', { perSecond: 2, horizonMs: 100 });

    const first = await look();
    const putOff = await look();
    const create = await two.pacers.take('vendor', { perSecond: 2, horizonMs: 5_000 });

    expect(first).toEqual({ granted: true, waitMs: 0 });
    expect(putOff.granted).toBe(false);
    expect(putOff.waitMs).toBeGreaterThan(300);
    expect(create.granted).toBe(true);
    expect(create.waitMs).toBeLessThanOrEqual(500);
  });

  it('asks for the create first when both wait for the same trip', async () => {
    const one = await deployment.replica();
    await one.pacers.take('other', { perSecond: 1, horizonMs: 0 });
    const trip = one.pacers.take('vendor', { perSecond: 1, horizonMs: 0 });

    const [look, create] = await Promise.all([
      one.pacers.take('vendor', { perSecond: 1, horizonMs: 2_000 }),
      one.pacers.take('vendor', { perSecond: 1, horizonMs: 5_000 }),
    ]);

    expect((await trip).granted).toBe(true);
    expect(create.waitMs).toBeLessThan(look.waitMs);
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
