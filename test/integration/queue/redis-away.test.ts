import { execFile } from 'node:child_process';
import net from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { retryAfter, createProducer, done, type Producer } from '@gateway/queue';
import { eventually, recordingLog } from '@gateway/testing';
import { openWire, type CuttableWire } from './cuttable-wire.ts';
import {
  aGate,
  aTaskId,
  eventuallyEqual,
  openDeployment,
  type Deployment,
  type TestLog,
} from './queues.ts';

/** A port of loopback on which nobody listens. */
async function aClosedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function elapsedMs(work: Promise<unknown>): Promise<number> {
  const start = Date.now();
  await work;
  return Date.now() - start;
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

  it('answers a wake-up within a second, without throwing, and says so in the log', async () => {
    const taskId = aTaskId();

    const times = [
      await elapsedMs(producer.wake('video.advance', taskId)),
      await elapsedMs(producer.wake('billing.settle', taskId, { delayMs: 5 })),
    ];

    expect(Math.max(...times)).toBeLessThan(1_000);
    expect(log.lines.filter((line) => line.message.startsWith('wake-up'))).toEqual(
      ['video.advance', 'billing.settle'].map((job) => ({
        level: 'warn',
        message: 'wake-up not taken, left to the reconciler',
        fields: { job, taskId, reason: expect.stringMatching(/./) },
      })),
    );
  });

  it('answers a thousand wake-ups at once as fast', async () => {
    await expect(
      elapsedMs(
        Promise.all(Array.from({ length: 1_000 }, () => producer.wake('video.advance', aTaskId()))),
      ),
    ).resolves.toBeLessThan(2_000);
  });

  it('answers as fast when it has been down for a while and is tried less often', async () => {
    await eventually(() => {
      expect(
        log.lines.filter((line) => line.message === 'redis connection').length,
      ).toBeGreaterThanOrEqual(5);
    });

    await expect(elapsedMs(producer.wake('video.advance', aTaskId()))).resolves.toBeLessThan(500);
  }, 20_000);

  it('throws when many are to be woken, so that a reconciler knows', async () => {
    const waking = producer.wakeAll('video.advance', [aTaskId()]);

    await expect(waking).rejects.toThrow();
  });

  it('is not healthy', async () => {
    await expect(producer.check()).rejects.toThrow();
  });

  it('stops at once', async () => {
    await producer.wake('video.advance', aTaskId());

    await expect(elapsedMs(producer.part.stop())).resolves.toBeLessThan(1_000);
  });
});

describe('a producer whose Redis accepts connections and never answers', () => {
  it('answers a wake-up within three seconds, without throwing', async () => {
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

    const tookMs = await Promise.race([
      elapsedMs(producer.wake('video.advance', aTaskId())),
      new Promise<string>((resolve) => {
        setTimeout(() => {
          resolve('no answer');
        }, 5_000);
      }),
    ]);

    for (const socket of sockets) socket.destroy();
    server.close();
    await producer.part.stop();
    expect(tookMs).toBeLessThan(3_000);
    expect(
      log.lines.some((line) => line.message === 'wake-up not taken, left to the reconciler'),
    ).toBe(true);
  }, 20_000);
});

describe('a worker whose Redis is down from the start', () => {
  /**
   * In a process of its own: what BullMQ keeps of a connection that never came up would keep this
   * one from ending.
   */
  const life = (port: number): string => `
    import { createConsumer, done } from '@gateway/queue';
    const log = { error() {}, info() {}, debug() {}, warn: (message) => { if (message === 'redis connection') setTimeout(stop, 0); } };
    const { part } = createConsumer({ redisUrl: 'redis://127.0.0.1:${port}', prefix: 'nobody', job: 'video.advance', handle: async () => done, log });
    await part.start();
    let stopping = false;
    async function stop() {
      if (stopping) return;
      stopping = true;
      const start = Date.now();
      await part.stop();
      process.stdout.write(String(Date.now() - start));
      process.exit(0);
    }`;

  it('does not end the process, and stops within its bound', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', life(await aClosedPort())],
      { timeout: 25_000 },
    );

    expect(Number(stdout)).toBeGreaterThan(0);
    expect(Number(stdout)).toBeLessThan(15_000);
  }, 30_000);
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
      log.lines.filter((line) => line.message === 'wake-up not taken, left to the reconciler'),
    ).toHaveLength(1);
  }, 20_000);

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
  }, 20_000);
});

describe('Redis that goes away and comes back', () => {
  let deployment: Deployment;
  let wire: CuttableWire;
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
  }, 30_000);

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
  }, 45_000);

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

    await expect(elapsedMs(producer.wake('video.advance', aTaskId()))).resolves.toBeLessThan(1_000);
    wire.mend();
    const later = aTaskId();
    await eventually(async () => {
      await producer.wake('video.advance', later);
      expect(seen).toContain(later);
    });

    expect(
      log.lines.some((line) => line.message === 'wake-up not taken, left to the reconciler'),
    ).toBe(true);
  }, 20_000);

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
    await expect(consumer.check()).resolves.toBe('PONG');
  }, 45_000);
});

describe('Redis that loses everything', () => {
  let deployment: Deployment;
  beforeEach(() => {
    deployment = openDeployment();
  });
  afterEach(() => deployment.close(), 30_000);

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
      expect(log.lines.some((line) => line.message === 'queue worker')).toBe(true);
    }); // what would have ended the process
    await producer.wakeAll('video.advance', [active, delayed, next]);
    await eventuallyEqual(() => [...seen].sort(), [active, active, delayed, delayed, next].sort());
    await expect(consumer.check()).resolves.toBe('PONG');
    await eventually(async () => {
      expect(await deployment.liveJobs('video')).toEqual([]);
    });
  }, 20_000);

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
  }, 20_000);
});
