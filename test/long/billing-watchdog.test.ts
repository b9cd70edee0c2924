import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProducer } from '@gateway/queue';
import { newId } from '@gateway/runtime';
import {
  eventually,
  openTestDatabase,
  recordingLog,
  testRedis,
  type TestDatabase,
} from '@gateway/testing';
import { startBilling } from '../component/billing-service.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

/**
 * What a firewall that drops connections in silence leaves: nothing arrives any more on what is
 * open, or is opened, but nothing is closed.
 */
interface SilentWire {
  readonly url: string;
  /** From now on only connections that have ever sent this word get a response. */
  dropAllBut(word: string): void;
  close(): Promise<void>;
}

async function openSilentWire(redisUrl: string): Promise<SilentWire> {
  const target = new URL(redisUrl);
  const sockets = new Set<net.Socket>();
  const dropped = new Set<net.Socket>();
  const spoken = new Map<net.Socket, string>();
  let isDropping = false;
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port || 6379), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(
        from
          .on('error', () => undefined)
          .on('close', () => {
            sockets.delete(from);
            to.destroy();
          }),
      );
      from.on('data', (chunk: Buffer) => {
        if (from === near) {
          spoken.set(
            near,
            `${spoken.get(near) ?? ''}${chunk.toString('latin1').toLowerCase()}`.slice(-100_000),
          );
        }
        if (!dropped.has(near)) to.write(chunk);
      });
    }
    if (isDropping) dropped.add(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(redisUrl);
  url.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return {
    url: url.href,
    dropAllBut(word) {
      isDropping = true;
      for (const [near, words] of spoken) if (!words.includes(word)) dropped.add(near);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

describe('billing whose worker hears nothing more from Redis', () => {
  it('says on /livez that it has to be restarted, once jobs wait that it does not take, and not before', async () => {
    const redis = testRedis();
    const wire = await openSilentWire(redis.url);
    const billing = await startBilling(test, { REDIS_URL: wire.url, WATCHDOG_STALLED_MS: 3_000 });
    const producer = createProducer({
      redisUrl: redis.url,
      prefix: billing.queuePrefix,
      log: recordingLog(),
    });
    const livez = async (): Promise<{ status: number; body: unknown }> => {
      const response = await fetch(`${billing.opsUrl}/livez`);
      return { status: response.status, body: await response.json() };
    };
    await eventually(() => producer.check());
    await eventually(async () => {
      expect(
        await billing.metric('gateway_queue_jobs', { queue: 'billing', state: 'waiting' }),
      ).toBe(0);
    });
    const taken = async (): Promise<number> =>
      (await billing.metric('gateway_jobs_taken_total', { queue: 'billing' })) ?? 0;
    await producer.wake('billing.settle', newId('task'));
    await eventually(async () => {
      expect(await taken()).toBe(1);
    });
    expect(await livez()).toEqual({ status: 200, body: { status: 'ok' } });

    wire.dropAllBut('zcount'); // only the watch counts
    await producer.wake('billing.settle', newId('task'));

    await eventually(
      async () => {
        expect(await livez()).toEqual({
          status: 503,
          body: {
            status: 'stalled',
            reason: expect.stringMatching(
              /^the worker of the queue billing has taken no job for \d+ s although jobs wait/,
            ),
          },
        });
      },
      { withinMs: 60_000 },
    );
    expect(await taken()).toBe(1);
    expect(
      billing.lines.filter(({ message }) => message.startsWith('worker takes no jobs')),
    ).toEqual([expect.objectContaining({ queue: 'billing', waiting: 1 })]);

    await billing.stop(); // within the time that a restart gives it, although nobody responds
    await wire.close();
    await producer.part.stop();
  });
});
