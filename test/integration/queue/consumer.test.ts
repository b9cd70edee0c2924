import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createConsumer, done } from '@gateway/queue';
import { eventually, recordingLog } from '@gateway/testing';
import { aGate, aTaskId, eventuallyEqual } from '../../contracts/queue-deployment.ts';
import { openDeployment, type Deployment } from './queues.ts';

let deployment: Deployment;
beforeEach(() => {
  deployment = openDeployment();
});
afterEach(() => deployment.close());

describe('a message that is no envelope of this version', () => {
  it.each([
    [
      'of another version',
      {
        version: 1,
        payload: { id: 'video_01jd0000000000000000000000' },
        trace: { requestId: 'r' },
      },
    ],
    ['without a payload', { version: 2, trace: { requestId: 'r' } }],
    ['without a trace', { version: 2, payload: { id: 'video_01jd0000000000000000000000' } }],
    [
      'for something that is no task',
      { version: 2, payload: { id: '../etc/passwd' }, trace: { requestId: 'r' } },
    ],
    [
      'for something of another kind',
      {
        version: 2,
        payload: { id: 'batch_01jd0000000000000000000000' },
        trace: { requestId: 'r' },
      },
    ],
    ['that is nothing at all', null],
  ])('is dropped with an error line, and the worker goes on (%s)', async (_what, data) => {
    const { producer } = await deployment.producer();
    const [poison, good] = [aTaskId(), aTaskId()];
    await producer.wake('video.advance', poison);
    await deployment.redis.hset(
      `${deployment.prefix}:video:${poison}`,
      'data',
      JSON.stringify(data),
    );
    await producer.wake('video.advance', good);
    const seen: string[] = [];

    const { log } = await deployment.consumer({
      concurrency: 1,
      handle: (id) => {
        seen.push(id);
        return Promise.resolve(done);
      },
    });

    await eventuallyEqual(() => seen, [good]);
    await eventually(async () => {
      expect(await deployment.liveJobs('video')).toEqual([]);
    });
    expect(log.lines.filter((line) => line.level === 'error')).toEqual([
      {
        level: 'error',
        message: 'job dropped: not an envelope of this version',
        fields: { queue: 'video', jobId: poison },
      },
    ]);
  });
});

describe('stopping a worker', () => {
  it('lets a handler finish that needs a moment', async () => {
    const [started, gate] = [aGate(), aGate()];
    let aborted: boolean | undefined;
    const { consumer } = await deployment.consumer({
      handle: async (_id, signal) => {
        started.open();
        await gate.passed;
        aborted = signal.aborted;
        return done;
      },
    });
    const { producer } = await deployment.producer();
    await producer.wake('video.advance', aTaskId());
    await started.passed;

    const stopping = consumer.part.stop();
    for (let moment = 0; moment < 50; moment += 1) await deployment.redis.ping();
    gate.open();
    await stopping;

    expect(aborted).toBe(false);
    await expect(deployment.liveJobs('video')).resolves.toEqual([]);
  });

  it('tells a handler that goes on, and hands its work to another at once, without an error', async () => {
    const started = aGate();
    const { consumer, log } = await deployment.consumer({
      stopping: { graceMs: 100, closeDeadlineMs: 12_000 },
      handle: async (_id, signal) => {
        started.open();
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve, { once: true });
        });
        throw new Error('interrupted');
      },
    });
    const { producer } = await deployment.producer();
    const taskId = aTaskId();
    await producer.wake('video.advance', taskId);
    await started.passed;

    await consumer.part.stop();
    await expect(deployment.liveJobs('video')).resolves.toEqual([taskId]);
    const seen: string[] = [];
    await deployment.consumer({
      handle: (id) => {
        seen.push(id);
        return Promise.resolve(done);
      },
    });

    await eventually(
      () => {
        expect(seen).toEqual([taskId]);
      },
      { withinMs: 10_000 },
    );
    expect(log.lines.filter((line) => line.level === 'error')).toEqual([]);
  });

  it('takes no further job', async () => {
    const seen: string[] = [];
    const { consumer } = await deployment.consumer({
      handle: (id) => {
        seen.push(id);
        return Promise.resolve(done);
      },
    });
    const { producer } = await deployment.producer();
    await producer.wake('video.advance', aTaskId());
    await eventuallyEqual(() => seen.length, 1);

    await consumer.part.stop();
    const next = aTaskId();
    await producer.wake('video.advance', next);
    const others: string[] = [];
    await deployment.consumer({
      handle: (id) => {
        others.push(id);
        return Promise.resolve(done);
      },
    });

    await eventuallyEqual(() => others, [next]);
    expect(seen).toHaveLength(1);
  });

  it('does not wait for ever for a handler that hangs', async () => {
    const gate = aGate();
    const started = aGate();
    const { consumer } = await deployment.consumer({
      stopping: { graceMs: 1_000, closeDeadlineMs: 1_500 },
      handle: async () => {
        started.open();
        await gate.passed;
        return done;
      },
    });
    const { producer } = await deployment.producer();
    await producer.wake('video.advance', aTaskId());
    await started.passed;
    const start = Date.now();

    await consumer.part.stop();

    const tookMs = Date.now() - start;
    gate.open();
    expect(tookMs).toBeGreaterThan(1_400); // handlers do get time to hand back
    expect(tookMs).toBeLessThan(15_000); // well within the 25 s that a service has
  });

  it('is possible before it was ever started, and twice', async () => {
    const consumer = createConsumer({
      redisUrl: deployment.url,
      prefix: deployment.prefix,
      job: 'video.advance',
      handle: () => Promise.resolve(done),
      log: recordingLog(),
    });

    await consumer.part.stop();

    await expect(consumer.part.stop()).resolves.toBeUndefined();
  });
});
