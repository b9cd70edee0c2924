import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createMetrics, type Registry } from '@gateway/runtime';
import { watchQueues, type ConsumerActivity, type QueueWatch } from '@gateway/queue';
import { eventually, openWire, recordingLog } from '@gateway/testing';
import { aGate, aTaskId, type TestLog } from '../../contracts/queue-deployment.ts';
import { openDeployment, type Deployment } from './queues.ts';

let deployment: Deployment;
const stops: (() => Promise<void>)[] = [];
beforeEach(() => {
  deployment = openDeployment();
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  await deployment.close();
});

interface Watched {
  readonly watch: QueueWatch;
  readonly log: TestLog;
  readonly metrics: Registry;
  /** What the worker does, as far as the watch sees it. */
  readonly activity: { -readonly [Key in keyof ConsumerActivity]: ConsumerActivity[Key] };
  /**
   * Returns when the watch has looked at so much more work of the worker's; its clock goes on by
   * 16 ms with each check.
   */
  checks(count: number): Promise<void>;
}

/** So short that it checks every 20 ms. */
const stalledAfterMs = 160;

/** A watch over a worker that takes what the test says it takes. */
async function aWatch({
  redisUrl = deployment.url,
  consumer,
}: { redisUrl?: string; consumer?: { activity(): ConsumerActivity } } = {}): Promise<Watched> {
  const log = recordingLog();
  const metrics = createMetrics('test');
  const activity = { queue: 'video', taken: 0, active: 0, concurrency: 64, isHeld: false };
  let looked = 0;
  const watch = watchQueues({
    redisUrl,
    prefix: deployment.prefix,
    consumers: [consumer ?? { activity: () => activity }],
    stalledAfterMs,
    metrics,
    log,
    now: () => (looked += 1) * 16,
  });
  await watch.part.start?.();
  stops.push(() => watch.part.stop());
  return {
    watch,
    log,
    metrics,
    activity,
    async checks(count) {
      const enough = looked + count;
      await eventually(
        () => {
          expect(looked).toBeGreaterThanOrEqual(enough);
        },
        { withinMs: 30_000 },
      );
    },
  };
}

async function aWaitingJob(): Promise<void> {
  const { producer } = await deployment.producer();
  await producer.wake('video.advance', aTaskId());
  expect(await deployment.redis.llen(`${deployment.prefix}:video:wait`)).toBe(1);
}

const stalledLines = ({ log }: Watched): unknown[] =>
  log.lines.filter(({ level }) => level === 'error');

describe('the watchdog of a worker', () => {
  it('says that a worker has stalled that takes no job although one waits, once, until it takes one', async () => {
    await aWaitingJob();
    const watched = await aWatch();

    await eventually(
      () => {
        expect(watched.watch.stalled()).toMatch(
          /^the worker of the queue video has taken no job for 0 s/,
        );
      },
      { withinMs: 30_000 },
    );
    await watched.checks(5);

    expect(stalledLines(watched)).toEqual([
      {
        level: 'error',
        message: expect.stringContaining('takes no jobs'),
        fields: expect.objectContaining({ queue: 'video', waiting: 1 }),
      },
    ]);

    watched.activity.taken += 1;
    await watched.checks(2);
    expect(watched.watch.stalled()).toBeUndefined();
  });

  it('says so of a delayed job that nobody moves when its time comes', async () => {
    const { producer } = await deployment.producer();
    const id = aTaskId();
    await producer.wake('video.advance', id, { delayMs: 60_000 });
    const watched = await aWatch();
    await watched.checks(15);
    expect(watched.watch.stalled()).toBeUndefined();

    await deployment.redis.zadd(
      `${deployment.prefix}:video:delayed`,
      (Date.now() - 30_000) * 0x1000,
      id,
    );

    await eventually(
      () => {
        expect(watched.watch.stalled()).toBeDefined();
      },
      { withinMs: 30_000 },
    );
  });

  it('is silent while there is nothing to take', async () => {
    const watched = await aWatch();
    await watched.checks(20);

    expect([watched.watch.stalled(), stalledLines(watched)]).toEqual([undefined, []]);
  });

  it('is silent while the worker is full, or the queue paused', async () => {
    await aWaitingJob();
    const watched = await aWatch();
    watched.activity.active = watched.activity.concurrency;
    await watched.checks(20);
    expect(watched.watch.stalled()).toBeUndefined();

    await deployment.redis.hset(`${deployment.prefix}:video:meta`, 'paused', 1);
    await watched.checks(2);
    watched.activity.active = 0;
    await watched.checks(20);

    expect([watched.watch.stalled(), stalledLines(watched)]).toEqual([undefined, []]);
  });

  it('takes its word back when Redis goes away: a restart does not bring it back', async () => {
    await aWaitingJob();
    const wire = await openWire(deployment.url, 6379);
    const url = new URL(deployment.url);
    url.host = `127.0.0.1:${wire.port}`;
    const watched = await aWatch({ redisUrl: url.href });
    stops.push(() => wire.close());
    await eventually(
      () => {
        // Where it fails, it shows what the watch has said.
        expect([watched.watch.stalled(), watched.log.lines]).toEqual([
          expect.any(String),
          expect.anything(),
        ]);
      },
      { withinMs: 30_000 },
    );

    wire.cut();
    await eventually(
      () => {
        expect(watched.watch.stalled()).toBeUndefined();
      },
      { withinMs: 30_000 },
    );
    await watched.checks(20);

    expect(watched.watch.stalled()).toBeUndefined();
    expect(await watched.metrics.metrics()).not.toMatch(/^gateway_queue_jobs\{/m);
  });

  it('sees what a real worker takes and does', async () => {
    const gate = aGate();
    const { consumer } = await deployment.consumer({
      handle: async () => {
        await gate.passed;
        return { kind: 'done' };
      },
    });
    const { producer } = await deployment.producer();
    await producer.wake('video.advance', aTaskId());
    await eventually(() => {
      expect(consumer.activity()).toMatchObject({
        queue: 'video',
        taken: 1,
        active: 1,
        concurrency: 64,
      });
    });

    gate.open();

    await eventually(() => {
      expect(consumer.activity()).toMatchObject({ taken: 1, active: 0 });
    });
  });
});

describe('the figures of the queues', () => {
  it('tell the jobs by what they wait for, how late the first is, and whether Redis may evict them', async () => {
    const { producer } = await deployment.producer();
    const late = aTaskId();
    await producer.wake('video.advance', aTaskId());
    for (const id of [late, aTaskId()]) {
      await producer.wake('video.advance', id, { delayMs: 60_000 });
    }
    await deployment.redis.zadd(
      `${deployment.prefix}:video:delayed`,
      (Date.now() - 30_000) * 0x1000,
      late,
    );
    const watched = await aWatch();

    // A check that Redis was too slow for has no figures.
    await eventually(async () => {
      const text = await watched.metrics.metrics();
      const figure = (name: string): number =>
        Number(new RegExp(`^${name} ([\\d.]+)$`, 'm').exec(text)?.[1]);
      const jobs = (state: string): number =>
        figure(`gateway_queue_jobs\\{queue="video",state="${state}",service="test"\\}`);
      expect({
        waiting: jobs('waiting'),
        active: jobs('active'),
        delayed: jobs('delayed'),
        overdue: jobs('overdue'),
      }).toEqual({ waiting: 1, active: 0, delayed: 2, overdue: 1 });
      expect(
        figure('gateway_queue_oldest_overdue_seconds\\{queue="video",service="test"\\}'),
      ).toBeGreaterThanOrEqual(30);
      expect([0, 1]).toContain(figure('gateway_redis_noeviction\\{service="test"\\}'));
    });
  });
});
