import { execFile } from 'node:child_process';
import net from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { retryAfter, createProducer, done, type Producer } from '@gateway/queue';
import { eventually, openWire, recordingLog, type Wire } from '@gateway/testing';
import { aGate, aTaskId, eventuallyEqual, type TestLog } from '../../contracts/queue-deployment.ts';
import { openDeployment, type Deployment } from './queues.ts';

/** A port of loopback on which nobody listens. */
async function aClosedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a producer whose Redis is down from the start', () => {
  let producer: Producer;
  let log: TestLog;
  beforeEach(async () => {
    log = recordingLog();
    producer = createProducer({
      redisUrl: `redis://127.0.0.1:${await aClosedPort()}`,
      prefix: 'nobody',
      log,
    });
  });
  afterEach(() => producer.part.stop());

  // It stays away throughout: whatever waited for it would never come back.
  it('responds to a wake-up without it, without throwing, and says so in the log', async () => {
    const taskId = aTaskId();

    await producer.wake('video.advance', taskId);
    await producer.wake('billing.settle', taskId, { delayMs: 5 });

    expect(log.lines.filter((line) => line.message.startsWith('wake-up'))).toEqual(
      ['video.advance', 'billing.settle'].map((job) => ({
        level: 'warn',
        message: 'wake-up not queued, left to the reconciler',
        fields: { job, taskId, reason: expect.stringMatching(/./) },
      })),
    );
  });

  it('responds to a thousand wake-ups at once as well', async () => {
    await Promise.all(
      Array.from({ length: 1_000 }, () => producer.wake('video.advance', aTaskId())),
    );

    expect(log.lines.filter((line) => line.message.startsWith('wake-up'))).toHaveLength(1_000);
  });

  it('responds as well when it has been down for a while and is tried less often', async () => {
    await eventually(() => {
      expect(
        log.lines.filter((line) => line.message === 'redis connection failed').length,
      ).toBeGreaterThanOrEqual(5);
    });

    await producer.wake('video.advance', aTaskId());

    expect(log.lines.at(-1)?.message).toBe('wake-up not queued, left to the reconciler');
  });

  it('throws when many are to be woken, so that a reconciler knows', async () => {
    const waking = producer.wakeAll('video.advance', [aTaskId()]);

    await expect(waking).rejects.toThrow();
  });

  it('is not healthy', async () => {
    await expect(producer.check()).rejects.toThrow();
  });

  it('stops without it', async () => {
    await producer.wake('video.advance', aTaskId());

    await expect(producer.part.stop()).resolves.toBeUndefined();
  });
});

describe('a producer whose Redis accepts connections and never responds', () => {
  it('responds to a wake-up all the same, without throwing', async () => {
    const sockets: net.Socket[] = [];
    const server = net.createServer((socket) => {
      sockets.push(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const log = recordingLog();
    const producer = createProducer({
      redisUrl: `redis://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
      prefix: 'nobody',
      log,
    });
    await eventually(() => {
      expect(sockets).not.toEqual([]);
    });

    await producer.wake('video.advance', aTaskId());

    for (const socket of sockets) socket.destroy();
    server.close();
    await producer.part.stop();
    expect(
      log.lines.some((line) => line.message === 'wake-up not queued, left to the reconciler'),
    ).toBe(true);
  });
});

describe('a worker whose Redis is down from the start', () => {
  /**
   * In a process of its own: what BullMQ keeps of a connection that never came up would keep this
   * one from ending.
   */
  const life = (port: number): string => `
    import { createConsumer, done } from '@gateway/queue';
    const log = { error() {}, info() {}, debug() {}, warn: (message) => { if (message === 'redis connection failed') setTimeout(stop, 0); } };
    const { part } = createConsumer({ redisUrl: 'redis://127.0.0.1:${port}', prefix: 'nobody', job: 'video.advance', handle: async () => done, log });
    await part.start();
    let stopping = false;
    async function stop() {
      if (stopping) return;
      stopping = true;
      await part.stop();
      process.stdout.write('stopped');
      process.exit(0);
    }`;

  it('does not end the process, and stops without it', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', life(await aClosedPort())],
      { timeout: 90_000 },
    );

    expect(stdout).toBe('stopped');
  });
});

describe('a producer that is used before its connection is up', () => {
  let deployment: Deployment;
  beforeEach(() => {
    deployment = openDeployment();
  });
  afterEach(() => deployment.close());

  it('loses that wake-up only', async () => {
    const seen: string[] = [];
    await deployment.consumer({
      handle: (id) => {
        seen.push(id);
        return Promise.resolve(done);
      },
    });
    const { producer, log } = await deployment.producer({ atOnce: true });
    await producer.wake('video.advance', aTaskId());
    await eventually(() => producer.check());
    const later = aTaskId();

    await eventually(async () => {
      await producer.wake('video.advance', later);
      expect(seen).toContain(later);
    });

    expect(
      log.lines.filter((line) => line.message === 'wake-up not queued, left to the reconciler'),
    ).toHaveLength(1);
  });

  it('wakes many as soon as it is up, though the first attempt of a reconciler came too early', async () => {
    const seen: string[] = [];
    await deployment.consumer({
      handle: (id) => {
        seen.push(id);
        return Promise.resolve(done);
      },
    });
    const { producer } = await deployment.producer({ atOnce: true });
    const taskIds = [aTaskId(), aTaskId()];
    await expect(producer.wakeAll('video.advance', taskIds)).rejects.toThrow();
    await eventually(() => producer.check());

    await eventually(() => producer.wakeAll('video.advance', taskIds), { withinMs: 3_000 });

    await eventuallyEqual(() => [...seen].sort(), [...taskIds].sort());
  });
});

describe('Redis that goes away and comes back', () => {
  let deployment: Deployment;
  let wire: Wire;
  let wireUrl: string;
  beforeEach(async () => {
    deployment = openDeployment();
    wire = await openWire(deployment.url, 6379);
    const url = new URL(deployment.url); // with its password
    url.host = `127.0.0.1:${wire.port}`;
    wireUrl = url.href;
  });
  afterEach(async () => {
    wire.mend();
    await deployment.close();
    await wire.close();
  });

  it('works off what a worker that started meanwhile finds later', async () => {
    wire.cut();
    const seen: string[] = [];
    await deployment.consumer({
      redisUrl: wireUrl,
      handle: (id) => {
        seen.push(id);
        return Promise.resolve(done);
      },
    });
    const { producer } = await deployment.producer();
    const taskId = aTaskId();
    await producer.wake('video.advance', taskId);

    wire.mend();

    await eventually(
      () => {
        expect(seen).toEqual([taskId]);
      },
      { withinMs: 30_000 },
    );
  });

  it('takes wake-ups again without a restart of the producer, and fails fast in between', async () => {
    const { producer, log } = await deployment.producer({ url: wireUrl });
    const seen: string[] = [];
    await deployment.consumer({
      handle: (id) => {
        seen.push(id);
        return Promise.resolve(done);
      },
    });
    wire.cut();
    await eventually(() => {
      expect(log.lines.length).toBeGreaterThan(0);
    });

    await producer.wake('video.advance', aTaskId());
    expect(log.lines.at(-1)?.message).toBe('wake-up not queued, left to the reconciler');
    wire.mend();
    const later = aTaskId();
    await eventually(async () => {
      await producer.wake('video.advance', later);
      expect(seen).toContain(later);
    });

    expect(
      log.lines.some((line) => line.message === 'wake-up not queued, left to the reconciler'),
    ).toBe(true);
  });

  it('lets go of a worker that is stopped meanwhile: no timer keeps its process alive', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const { producer } = await deployment.producer();
    const before = timers();
    const seen: string[] = [];
    const { consumer, log } = await deployment.consumer({
      redisUrl: wireUrl,
      handle: (id) => {
        seen.push(id);
        return Promise.resolve(done);
      },
    });
    const taskId = aTaskId();
    await producer.wake('video.advance', taskId);
    await eventuallyEqual(() => seen, [taskId]);
    // It has nothing to do now and blocks, for seconds.
    await eventually(async () => {
      expect(await deployment.liveJobs('video')).toEqual([]);
    });
    wire.cut();
    await eventually(() => {
      expect(log.lines.length).toBeGreaterThan(0);
    });

    await consumer.part.stop();

    await eventually(
      () => {
        expect(timers()).toBeLessThanOrEqual(before);
      },
      { withinMs: 10_000 },
    );
  });

  it('is worked off again without a restart of the worker', async () => {
    const { producer } = await deployment.producer();
    const seen: string[] = [];
    const { consumer, log } = await deployment.consumer({
      redisUrl: wireUrl,
      handle: (id) => {
        seen.push(id);
        return Promise.resolve(done);
      },
    });
    const [before, meanwhile] = [aTaskId(), aTaskId()];
    await producer.wake('video.advance', before);
    await eventuallyEqual(() => seen, [before]);

    wire.cut();
    await eventually(() => {
      expect(log.lines.length).toBeGreaterThan(0);
    });
    await producer.wake('video.advance', meanwhile);
    wire.mend();

    await eventually(
      () => {
        expect(seen).toEqual([before, meanwhile]);
      },
      { withinMs: 30_000 },
    );
    await expect(consumer.check()).resolves.toBeUndefined();
  });
});

describe('Redis that loses everything', () => {
  let deployment: Deployment;
  beforeEach(() => {
    deployment = openDeployment();
  });
  afterEach(() => deployment.close());

  it('does not end a worker that is in the middle of a job, and the next wake-up repairs what was lost', async () => {
    const gate = aGate();
    const seen: string[] = [];
    const { consumer, log } = await deployment.consumer({
      handle: async (id) => {
        seen.push(id);
        if (id === active) await gate.passed;
        return id === delayed && seen.filter((each) => each === id).length === 1
          ? retryAfter(3_600_000)
          : done;
      },
    });
    const { producer } = await deployment.producer();
    const [active, delayed, next] = [aTaskId(), aTaskId(), aTaskId()];
    await producer.wakeAll('video.advance', [active, delayed]);
    await eventuallyEqual(() => [...seen].sort(), [active, delayed].sort());
    await eventually(async () => {
      expect(await deployment.redis.zcard(`${deployment.prefix}:video:delayed`)).toBe(1);
    });

    await deployment.flush();
    gate.open();

    await eventually(() => {
      expect(log.lines.some((line) => line.message === 'queue worker failed')).toBe(true);
    }); // what would have ended the process
    await producer.wakeAll('video.advance', [active, delayed, next]);
    await eventuallyEqual(() => [...seen].sort(), [active, active, delayed, delayed, next].sort());
    await expect(consumer.check()).resolves.toBeUndefined();
    await eventually(async () => {
      expect(await deployment.liveJobs('video')).toEqual([]);
    });
  });

  it('does not end a worker that is about to put its job back', async () => {
    const gate = aGate();
    const seen: string[] = [];
    await deployment.consumer({
      handle: async (id) => {
        seen.push(id);
        if (seen.length === 1) {
          await gate.passed;
          return retryAfter(10);
        }
        return done;
      },
    });
    const { producer } = await deployment.producer();
    const [first, second] = [aTaskId(), aTaskId()];
    await producer.wake('video.advance', first);
    await eventuallyEqual(() => seen, [first]);

    await deployment.flush();
    gate.open();
    await producer.wake('video.advance', second);

    await eventuallyEqual(() => seen.includes(second), true);
  });
});
