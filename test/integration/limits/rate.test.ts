import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { openDeployment, takeMany, type Deployment, type Replica } from './replicas.ts';

let deployment: Deployment;
beforeEach(() => {
  deployment = openDeployment();
});
afterEach(() => deployment.close());

/**
 * So long that no bucket ends during a test, and no busy machine looks like a Redis that is away:
 * then each replica would count alone.
 */
const oneLongBucket = { windowMs: 3_600_000, bucketMs: 3_600_000, commandTimeoutMs: 30_000 };

const threeReplicas = (timings = {}): Promise<Replica[]> =>
  Promise.all([1, 2, 3].map(() => deployment.replica({ timings })));

describe('the request rate of a key over three replicas', () => {
  it.each([1, 7, 20, 21, 100, 500, 5_000])(
    'admits exactly its limit of %i, however many come at once',
    async (limit) => {
      const replicas = await threeReplicas(oneLongBucket);

      const decisions = await Promise.all(
        replicas.flatMap(({ rate }) =>
          Array.from({ length: limit + 10 }, async () => rate.take('key', limit)),
        ),
      );

      expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(limit);
    },
  );

  it('admits exactly its limit when they come one after another', async () => {
    const replicas = await threeReplicas(oneLongBucket);

    const admitted = await Promise.all(
      replicas.map((replica) => takeMany(replica, { limit: 1_000, times: 1_100 })),
    );

    expect(admitted.reduce((total, each) => total + each, 0)).toBe(1_000);
  });

  it('never admits more than the limit in any stretch of a window, and fills the windows', async () => {
    const [windowMs, bucketMs, limit] = [600, 50, 60];
    const [one, two] = await threeReplicas({ ...oneLongBucket, windowMs, bucketMs });
    const admitted: { askedMs: number; seenMs: number }[] = [];
    const hammer = async ({ rate }: Replica): Promise<void> => {
      const end = Date.now() + 3 * windowMs;
      while (Date.now() < end) {
        const askedMs = performance.now();
        const { allowed } = await rate.take('key', limit);
        if (allowed) admitted.push({ askedMs, seenMs: performance.now() });
        else {
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        }
      }
    };

    await Promise.all([hammer(one!), hammer(two!)]);

    // It is counted in Redis between the two, however long this process was held up meanwhile.
    const stretchMs = windowMs - 30;
    const within = (startMs: number): unknown[] =>
      admitted.filter(({ askedMs, seenMs }) => askedMs >= startMs && seenMs < startMs + stretchMs);
    const most = Math.max(...admitted.map(({ askedMs }) => within(askedMs).length));
    expect(most).toBeLessThanOrEqual(limit);
    expect(admitted.length).toBeGreaterThan(2 * limit);
  });

  it('keeps keys apart', async () => {
    const [one] = await threeReplicas(oneLongBucket);
    await takeMany(one!, { subject: 'a', limit: 5, times: 6 });

    await expect(takeMany(one!, { subject: 'b', limit: 5, times: 6 })).resolves.toBe(5);
  });
});

describe('a decision', () => {
  it('says what is left, when the window ends, and when to come back', async () => {
    const replica = await deployment.replica();

    const decisions = [
      await replica.rate.take('key', 2),
      await replica.rate.take('key', 2),
      await replica.rate.take('key', 2),
    ];

    const resetMs = expect.any(Number);
    const each = { limit: 2, resetMs, bucket: expect.any(Number) as unknown };
    expect(decisions).toEqual([
      { ...each, allowed: true, remaining: 1, retryAfterMs: 0 },
      { ...each, allowed: true, remaining: 0, retryAfterMs: 0 },
      { ...each, allowed: false, remaining: 0, retryAfterMs: decisions[2]!.resetMs },
    ]);
    expect(decisions[2]!.resetMs).toBeGreaterThan(55_000);
    expect(decisions[2]!.resetMs).toBeLessThanOrEqual(60_000);
  });

  it('follows a limit that is raised or lowered at once', async () => {
    const replica = await deployment.replica({ timings: oneLongBucket });
    await takeMany(replica, { limit: 100, times: 101 });

    await expect(takeMany(replica, { limit: 150, times: 60 })).resolves.toBe(50);
    await expect(takeMany(replica, { limit: 120, times: 1 })).resolves.toBe(0);
  });
});

describe('a lease', () => {
  it('spares most requests the way to Redis', async () => {
    const replica = await deployment.replica({ timings: oneLongBucket });
    let trips = 0;
    for (let request = 0; request < 2_000; request += 1) {
      const decision = replica.rate.take('key', 6_000);
      if (decision instanceof Promise) trips += 1;
      expect((await decision).allowed).toBe(true);
    }

    expect(trips).toBeLessThan(100);
  });

  it('remembers that nothing is left, so that refusals do not ask Redis', async () => {
    const replica = await deployment.replica({ timings: oneLongBucket });
    await takeMany(replica, { limit: 30, times: 31 });

    const refusals = Array.from({ length: 1_000 }, () => replica.rate.take('key', 30));

    expect(refusals.every((decision) => !(decision instanceof Promise) && !decision.allowed)).toBe(
      true,
    );
  });

  it('gives back what was not used when its bucket ends, for other replicas to use', async () => {
    const timings = { windowMs: 60_000, bucketMs: 300, commandTimeoutMs: 30_000 };
    const [one, two] = [
      await deployment.replica({ timings }),
      await deployment.replica({ timings }),
    ];
    await takeMany(one, { limit: 1_000, times: 10 });
    let admitted = 0;

    // The next test tells that a lease holds something back for as long as its bucket lasts.
    await eventually(async () => {
      admitted += await takeMany(two, { limit: 1_000, times: 50 });
      expect(admitted).toBe(990);
    });
  });

  it('is given back when its replica stops', async () => {
    const [one, two, three] = [
      await deployment.replica({ timings: oneLongBucket }),
      await deployment.replica({ timings: oneLongBucket }),
      await deployment.replica({ timings: oneLongBucket }),
    ];
    await takeMany(one, { limit: 1_000, times: 10 });
    const admitted = await takeMany(two, { limit: 1_000, times: 1_000 });
    expect(admitted).toBeLessThan(990);

    await one.part.stop();

    // The second one remembers that nothing is left.
    expect(admitted + (await takeMany(three, { limit: 1_000, times: 50 }))).toBe(990);
  });
});
