import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSharedLimits } from '@gateway/limits';
import { eventually, recordingLog } from '@gateway/testing';
import {
  acquireMany,
  openDeployment,
  takeMany,
  type Deployment,
  type Replica,
} from '../integration/limits/replicas.ts';

let deployment: Deployment;
const unhandled: unknown[] = [];
const note = (error: unknown): void => {
  unhandled.push(error);
};
beforeEach(() => {
  deployment = openDeployment();
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  await deployment.close();
  process.off('unhandledRejection', note);
  expect(unhandled.splice(0)).toEqual([]);
});

const oneLongBucket = { windowMs: 3_600_000, bucketMs: 3_600_000 };
const away = {
  level: 'warn',
  message: 'redis is down, each replica enforces its limits alone',
  fields: { reason: expect.stringMatching(/./) },
};
const back = { level: 'info', message: 'redis is back, limits are shared again', fields: {} };

/** Everything works, with the full limit for this replica alone. */
async function expectLocalLimits(replica: Replica): Promise<void> {
  expect(replica.rate.take('alone', 5)).toEqual({
    allowed: true,
    limit: 5,
    remaining: 4,
    resetMs: expect.any(Number),
    retryAfterMs: 0,
  });
  expect(await takeMany(replica, { subject: 'alone', limit: 5, times: 10 })).toBe(4);
  expect(replica.rate.take('alone', 5)).toMatchObject({ allowed: false, remaining: 0 });
  const slots = await acquireMany(replica, { subject: 'alone', limit: 30, most: 31 });
  expect(slots).toHaveLength(30);
  for (const slot of slots) slot.release();
  expect(await acquireMany(replica, { subject: 'alone', limit: 30, most: 1 })).toHaveLength(1);
}

describe('shared limits whose Redis is away at the start', () => {
  it('start all the same, limit each replica alone, and say so once', async () => {
    const replica = await deployment.replica({ isCut: true });

    await expectLocalLimits(replica);
    await expect(replica.check()).rejects.toThrow();
    expect(replica.log.lines).toEqual([away]);
  });

  it('are shared as soon as it comes, without a restart', async () => {
    const timings = oneLongBucket;
    const [one, two] = [
      await deployment.replica({ isCut: true, timings }),
      await deployment.replica({ timings }),
    ];

    one.recover();
    await eventually(() => {
      expect(one.log.lines).toEqual([away, back]);
    });

    expect(
      (await takeMany(one, { limit: 10, times: 6 })) +
        (await takeMany(two, { limit: 10, times: 6 })),
    ).toBe(10);
    expect(
      (await acquireMany(one, { limit: 4, most: 3 })).length +
        (await acquireMany(two, { limit: 4, most: 3 })).length,
    ).toBe(4);
  });

  it('stop without it', async () => {
    const replica = await deployment.replica({ isCut: true });

    await expect(replica.part.stop()).resolves.toBeUndefined();
  });
});

describe('shared limits whose Redis takes connections and never answers', () => {
  it('start all the same and limit each replica alone', async () => {
    const sockets: net.Socket[] = [];
    const server = net.createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const log = recordingLog();
    const limits = createSharedLimits({
      redisUrl: `redis://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
      prefix: 'nobody',
      replicaId: 'one',
      log,
    });
    await limits.part.start?.();

    expect(limits.rate.take('key', 1)).toMatchObject({ allowed: true });
    expect(limits.rate.take('key', 1)).toMatchObject({ allowed: false });

    await limits.part.stop();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});

describe('shared limits whose Redis goes away under load', () => {
  it.each(['die', 'fallSilent'] as const)(
    'go on with each replica alone, and are shared again when it is back, with one line for each (%s)',
    async (how) => {
      const [one, two] = [
        await deployment.replica({ timings: oneLongBucket }),
        // Keeps its Redis, however slowly it hears from it.
        await deployment.replica({ timings: { ...oneLongBucket, commandTimeoutMs: 30_000 } }),
      ];
      const before = await acquireMany(one, { limit: 4, most: 3 });
      await takeMany(one, { limit: 100, times: 60 });

      one[how]();
      // is told to nobody, and breaks nothing
      for (let failure = 1; failure <= 5; failure += 1) one.breakers.failed('route');
      await Promise.all(
        Array.from({ length: 200 }, async () => {
          await one.rate.take('key', 100);
          await one.slots.acquire('other', 10);
        }),
      );
      await eventually(() => {
        expect(one.log.lines).toEqual([away]);
      });
      await expectLocalLimits(one);
      one.recover();

      await eventually(
        () => {
          expect(one.log.lines).toEqual([away, back]);
        },
        { withinMs: 60_000 },
      );
      await eventually(async () => {
        expect(await acquireMany(two, { limit: 4, most: 2 })).toHaveLength(1);
      });
      for (const slot of before) slot.release();
      await eventually(async () => {
        expect(await acquireMany(two, { limit: 4, most: 4 })).toHaveLength(3);
      });
      expect(await takeMany(two, { limit: 100, times: 100 })).toBeLessThanOrEqual(40);
    },
  );

  it('hear from each other again once another Redis has its address, with nothing told of the change', async () => {
    const options = { breakers: { failuresToOpen: 1 } };
    const [one, two] = [await deployment.replica(options), await deployment.replica(options)];
    one.fallSilent();
    await one.rate.take('key', 100);
    await eventually(() => {
      expect(one.log.lines).toEqual([away]);
    });
    one.isReplaced();

    await eventually(
      () => {
        expect(one.log.lines).toEqual([away, back]);
      },
      { withinMs: 30_000 },
    );
    let route = 0;
    await eventually(
      () => {
        two.breakers.failed(`route ${(route += 1)}`);
        const heard = Array.from({ length: route }, (_unused, index) => `route ${index + 1}`);
        expect(heard.some((each) => !one.breakers.mayTry(each))).toBe(true);
      },
      { withinMs: 30_000, everyMs: 100 },
    );
  });

  it('probe a broken route with each replica alone', async () => {
    const options = { breakers: { failuresToOpen: 1, coolDownMs: 50 } };
    const [one, two] = [await deployment.replica(options), await deployment.replica(options)];
    one.die();
    two.die();
    await eventually(() => {
      expect([one, two].flatMap(({ log }) => log.lines)).toHaveLength(2);
    });

    for (const { breakers: circuits } of [one, two]) {
      circuits.failed('route');
      expect(circuits.mayTry('route')).toBe(false);
      await eventually(
        () => {
          expect(circuits.mayTry('route')).toBe(true);
        },
        { everyMs: 5 },
      );
      expect(circuits.mayTry('route')).toBe(false);
    }
  });

  it('tell each outage once more', async () => {
    const replica = await deployment.replica();
    for (let outage = 1; outage <= 2; outage += 1) {
      replica.die();
      await eventually(() => {
        expect(replica.log.lines).toHaveLength(2 * outage - 1);
      });
      replica.recover();
      await eventually(() => {
        expect(replica.log.lines).toHaveLength(2 * outage);
      });
    }
    expect(replica.log.lines).toEqual([away, back, away, back]);
  });
});

describe('shared limits whose Redis loses everything', () => {
  it('begin to count anew, and go on', async () => {
    const [one, two] = [
      await deployment.replica({ timings: oneLongBucket }),
      await deployment.replica({ timings: oneLongBucket }),
    ];
    await takeMany(one, { limit: 20, times: 20 });

    await deployment.flush();

    await expect(takeMany(two, { limit: 20, times: 25 })).resolves.toBe(20);
    expect(one.rate.take('other', 20)).toBeInstanceOf(Promise);
    expect([...one.log.lines, ...two.log.lines]).toEqual([]);
  });
});
