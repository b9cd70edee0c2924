import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { testRedis } from '@gateway/testing';
import { openDeployment, type Deployment, type Replica } from './replicas.ts';

let deployment: Deployment;
beforeEach(() => {
  deployment = openDeployment();
});
afterEach(() => deployment.close());

/** No bucket ends during a test. */
const timings = { windowMs: 3_600_000, bucketMs: 3_600_000, commandTimeoutMs: 30_000 };
const bounds = { requestsPerMinute: 5, concurrentRequests: 2 };

const admitMany = ({ requests }: Replica, count: number, subject = 'key') =>
  Promise.all(Array.from({ length: count }, async () => requests.admit(subject, bounds)));

const verdictOf = ({ decision, slot }: Awaited<ReturnType<typeof admitMany>>[number]): string =>
  slot !== undefined ? 'admitted' : decision.allowed ? 'too many at once' : 'too many a minute';

describe('a request of a key', () => {
  it('that is refused because too many run does not count against the minute, on any replica', async () => {
    const [one, two] = [
      await deployment.replica({ timings }),
      await deployment.replica({ timings: { ...timings, slotPatienceMs: 0 } }),
    ];
    const running = await admitMany(one, 2);
    const refused = [...(await admitMany(one, 20)), ...(await admitMany(two, 2))];
    for (const { slot } of running) slot?.release();
    const later = await admitMany(one, 2);
    for (const { slot } of later) slot?.release();
    const last = await admitMany(one, 2);

    expect(running.map(verdictOf)).toEqual(['admitted', 'admitted']);
    expect(new Set(refused.map(verdictOf))).toEqual(
      new Set(['too many at once', 'too many a minute']),
    );
    expect(later.map(verdictOf)).toEqual(['admitted', 'admitted']);
    expect(last.map(verdictOf)).toEqual(['admitted', 'too many a minute']);
  });

  it('that is refused for its minute takes no slot', async () => {
    const replica = await deployment.replica({ timings });
    for (let request = 0; request < 5; request += 1) {
      const [{ slot } = {}] = await admitMany(replica, 1);
      slot?.release();
    }
    const refused = await admitMany(replica, 5);
    const other = await replica.requests.admit('key', { ...bounds, requestsPerMinute: 7 });
    const another = await replica.requests.admit('key', { ...bounds, requestsPerMinute: 7 });

    expect(new Set(refused.map(verdictOf))).toEqual(new Set(['too many a minute']));
    expect([other, another].map(verdictOf)).toEqual(['admitted', 'admitted']);
  });

  it('that learns of its minute later than of its slot gives the slot back', async () => {
    const { requests } = await deployment.replica({ timings });
    const admit = (count: number, requestsPerMinute: number) =>
      Promise.all(
        Array.from({ length: count }, async () =>
          requests.admit('key', { requestsPerMinute, concurrentRequests: 10 }),
        ),
      );
    const first = await admit(7, 5);
    const later = await admit(8, 100);

    expect(first.map(verdictOf).filter((each) => each === 'admitted')).toHaveLength(5);
    expect(later.map(verdictOf).filter((each) => each === 'admitted')).toHaveLength(5);
  });

  it('does not fail because of another key’s that was decided with it', async () => {
    const replica = await deployment.replica({ timings });
    await admitMany(replica, 1, 'known');
    const names = await deployment.keys();
    const broken = names.find((name) => name.endsWith('rate:known'))?.replace('known', 'broken');
    const redis = new Redis(testRedis().url);
    await redis.set(broken ?? '', 'not a hash');
    await redis.quit();

    const [bad, good] = await Promise.all([
      replica.requests.admit('broken', bounds),
      replica.requests.admit('good', bounds),
    ]);

    // Counted by this replica alone, and by all of them.
    expect([bad.decision.bucket, good.decision.bucket]).toEqual([undefined, expect.any(Number)]);
    expect([verdictOf(bad), verdictOf(good)]).toEqual(['admitted', 'admitted']);
    expect(replica.log.lines).toEqual([]);
  });
});
