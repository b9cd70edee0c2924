import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createQueueCounts, type QueueCounts } from '@gateway/queue';
import { recordingLog } from '@gateway/testing';
import { aTaskId } from '../../contracts/queue-deployment.ts';
import { openDeployment, type Deployment } from './queues.ts';

let deployment: Deployment;
let counts: QueueCounts;
beforeEach(() => {
  deployment = openDeployment();
  counts = createQueueCounts({
    redisUrl: deployment.url,
    prefix: deployment.prefix,
    log: recordingLog(),
  });
});
afterEach(async () => {
  await counts.part.stop();
  await deployment.close();
});

describe('the counts of the queues', () => {
  it('tell jobs by what they wait for, and touch none', async () => {
    const { producer } = await deployment.producer();
    await producer.wake('video.advance', aTaskId());
    await producer.wake('video.advance', aTaskId());
    await producer.wake('video.advance', aTaskId(), { delayMs: 60_000 });
    const key = (state: string): string => `${deployment.prefix}:video:${state}`;
    await deployment.redis
      .pipeline()
      .zadd(key('prioritized'), 1, 'a')
      .lpush(key('active'), 'b', 'c', 'd', 'e')
      .zadd(key('failed'), 1, 'f', 2, 'g')
      .exec();
    const keys = (await deployment.redis.keys(`${deployment.prefix}:*`)).sort();

    const [video, ...others] = await counts.read();

    expect(video).toEqual({ name: 'video', waiting: 3, active: 4, delayed: 1, failed: 2 });
    expect(others).toEqual(
      ['callback', 'billing', 'metering'].map((name) => ({
        name,
        waiting: 0,
        active: 0,
        delayed: 0,
        failed: 0,
      })),
    );
    expect((await deployment.redis.keys(`${deployment.prefix}:*`)).sort()).toEqual(keys);
  });
});
