import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createProducer, done } from '@gateway/queue';
import { eventually, openWire, recordingLog, type Wire } from '@gateway/testing';
import { aTaskId, eventuallyEqual } from '../contracts/queue-deployment.ts';
import { openDeployment, type Deployment } from '../integration/queue/queues.ts';

const redisSilentMs = 500;

let deployment: Deployment;
let wire: Wire;
beforeEach(async () => {
  deployment = openDeployment();
  wire = await openWire(deployment.url, 6379);
});
afterEach(async () => {
  wire.cut();
  wire.mend();
  await deployment.close();
  await wire.close();
});

describe('a Redis that falls silent, with another one at its address later', () => {
  it('gets wake-ups again: the connection is thrown away though nobody closed it', async () => {
    const log = recordingLog();
    const producer = createProducer({
      redisUrl: wire.url,
      redisSilentMs,
      prefix: deployment.prefix,
      log,
    });
    await eventually(() => producer.check());
    wire.fallSilent('client');
    await producer.wake('video.advance', aTaskId());
    expect(log.lines.at(-1)?.message).toBe('wake-up not queued, left to the reconciler');
    wire.replace();

    await eventually(() => producer.check());
    await producer.wake('video.advance', aTaskId());

    expect(await deployment.liveJobs('video')).not.toEqual([]);
    await producer.part.stop();
  });

  it('is worked off again by a worker that was waiting for jobs', async () => {
    const seen: string[] = [];
    const { consumer } = await deployment.consumer({
      redisUrl: wire.url,
      redisSilentMs,
      handle: (id) => {
        seen.push(id);
        return Promise.resolve(done);
      },
    });
    const { producer } = await deployment.producer();
    const [before, after] = [aTaskId(), aTaskId()];
    await producer.wake('video.advance', before);
    await eventuallyEqual(() => seen, [before]);
    wire.fallSilent();
    await producer.wake('video.advance', after);
    wire.replace();

    await eventually(
      () => {
        expect(seen).toEqual([before, after]);
      },
      // A blocking connection that was still being made is given up after 10.5 s, the longest of all.
      { withinMs: 25_000 },
    );
    await expect(consumer.check()).resolves.toBeUndefined();
  });
});
