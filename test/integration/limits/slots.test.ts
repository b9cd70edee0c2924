import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { acquireMany, openDeployment, type Deployment, type Replica } from './replicas.ts';

let deployment: Deployment;
beforeEach(() => {
  deployment = openDeployment();
});
afterEach(() => deployment.close());

const shortLease = { slotLeaseMs: 600, slotRenewMs: 100, slotWantedMs: 300 };
const replicas = (count: number, timings = {}): Promise<Replica[]> =>
  Promise.all(Array.from({ length: count }, () => deployment.replica({ timings })));

/** Some turns of the event loop, and a few trips to Redis: as long as a short request. */
async function work({ check }: Replica, trips: number): Promise<void> {
  for (let trip = 0; trip < trips; trip += 1) await check();
}

describe('concurrent requests of a key over three replicas', () => {
  it.each([1, 3, 20, 30, 100])(
    'are never more than its limit of %i, and reach it',
    async (limit) => {
      const all = await replicas(3, shortLease);
      let [running, most, done] = [0, 0, 0];
      const request = async (replica: Replica, length: number): Promise<void> => {
        const slot = await replica.slots.acquire('key', limit);
        if (slot === undefined) return;
        running += 1;
        most = Math.max(most, running);
        await work(replica, length);
        running -= 1;
        done += 1;
        slot.release();
      };

      for (let round = 0; round < 15; round += 1) {
        await Promise.all(
          all.flatMap((replica, at) =>
            Array.from({ length: Math.min(limit, 60) }, (_, index) =>
              request(replica, (index * 7 + at + round) % 5),
            ),
          ),
        );
      }

      expect(most).toBeLessThanOrEqual(limit);
      // Short requests may never all overlap; slots that are kept do.
      await eventually(async () => {
        const held = await acquireMany(all[0]!, { limit, most: limit });
        held.forEach((slot) => {
          slot.release();
        });
        expect(held).toHaveLength(limit);
      });
      expect(done).toBeGreaterThanOrEqual(15 * limit);
    },
  );

  it('find a slot at once that another replica has released', async () => {
    const [one, two] = await replicas(2);
    const [first] = await acquireMany(one!, { limit: 3, most: 2 });
    await expect(acquireMany(two!, { limit: 3, most: 3 })).resolves.toHaveLength(1);
    await expect(acquireMany(one!, { limit: 3, most: 1 })).resolves.toEqual([]);

    first!.release();

    await expect(acquireMany(two!, { limit: 3, most: 2 })).resolves.toHaveLength(1);
  });

  it('find every slot that another replica keeps idle', async () => {
    const [one, two] = await replicas(2, { slotPatienceMs: 2_000 });
    for (const slot of await acquireMany(one!, { limit: 100, most: 60 })) slot.release();

    await expect(acquireMany(two!, { limit: 100, most: 100 })).resolves.toHaveLength(100);
  });

  it('are counted by key', async () => {
    const [one] = await replicas(1);
    await acquireMany(one!, { subject: 'a', limit: 2, most: 3 });

    await expect(acquireMany(one!, { subject: 'b', limit: 2, most: 3 })).resolves.toHaveLength(2);
  });

  it('follow a limit that is lowered or raised', async () => {
    const [one] = await replicas(1);
    const slots = await acquireMany(one!, { limit: 40, most: 30 });

    await expect(acquireMany(one!, { limit: 25, most: 1 })).resolves.toEqual([]);
    for (const slot of slots.slice(0, 10)) slot.release();
    await expect(acquireMany(one!, { limit: 25, most: 9 })).resolves.toHaveLength(5);
    await expect(acquireMany(one!, { limit: 27, most: 9 })).resolves.toHaveLength(2);
  });
});

describe('a slot', () => {
  it('is released once, however often that is said', async () => {
    const [one, two] = await replicas(2);
    const [first] = await acquireMany(one!, { limit: 2, most: 2 });
    for (let time = 0; time < 3; time += 1) first!.release();

    await expect(acquireMany(two!, { limit: 2, most: 2 })).resolves.toHaveLength(1);
  });

  it('comes from the lease, without a way to Redis, while the load is steady', async () => {
    const [one] = await replicas(1);
    for (const slot of await acquireMany(one!, { limit: 100, most: 10 })) slot.release();

    const slots = Array.from({ length: 10 }, () => one!.slots.acquire('key', 100));

    expect(slots.some((slot) => slot instanceof Promise || slot === undefined)).toBe(false);
  });

  it('of a replica that has died comes back when its lease has run out', async () => {
    const [one, two] = await replicas(2, shortLease);
    await acquireMany(two!, { limit: 5, most: 1 });
    await acquireMany(one!, { limit: 5, most: 4 });
    one!.die();
    await expect(acquireMany(two!, { limit: 5, most: 1 })).resolves.toEqual([]);

    await eventually(async () => {
      expect(await acquireMany(two!, { limit: 5, most: 5 })).toHaveLength(4);
    });
  });

  it('of a replica that lives stays its own for longer than a lease', async () => {
    const [one, two] = await replicas(2, shortLease);
    await acquireMany(one!, { limit: 5, most: 5 });
    const end = Date.now() + 3 * shortLease.slotLeaseMs;
    const stolen = [];

    while (Date.now() < end) stolen.push(...(await acquireMany(two!, { limit: 5, most: 1 })));

    expect(stolen).toEqual([]);
  });

  it('comes back at once from a replica that stops', async () => {
    const [one, two] = await replicas(2);
    await acquireMany(one!, { limit: 50, most: 50 });

    await one!.part.stop();

    await expect(acquireMany(two!, { limit: 50, most: 51 })).resolves.toHaveLength(50);
  });

  it('comes back from a replica that has gone quiet, without anybody asking', async () => {
    const [one] = await replicas(1, shortLease);
    for (const slot of await acquireMany(one!, { limit: 100, most: 20 })) slot.release();

    await eventually(async () => {
      expect((await deployment.keys()).filter((key) => key.includes('slots'))).toEqual([]);
    });
  });

  it('is declared again after Redis has lost everything', async () => {
    const [one, two] = await replicas(2, shortLease);
    const slots = await acquireMany(one!, { limit: 10, most: 10 });

    await deployment.flush();

    await eventually(async () => {
      expect((await deployment.keys()).some((key) => key.includes('slots'))).toBe(true);
    });
    await expect(acquireMany(two!, { limit: 10, most: 1 })).resolves.toEqual([]);
    for (const slot of slots) slot.release();
    await eventually(async () => {
      expect(await acquireMany(two!, { limit: 10, most: 11 })).toHaveLength(10);
    });
  });
});
