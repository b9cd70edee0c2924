import { createConsumer, createProducer, done, type Producer } from '@gateway/queue';
import { eventually, recordingLog, testRedis } from '@gateway/testing';
import { Redis } from 'ioredis';
import type { QueueDeployment, TestLog } from '../../contracts/queue-deployment.ts';
import { deleteKeys } from './delete-keys.ts';

/**
 * A deployment of its own: producers and consumers under one key prefix, and a look at Redis behind
 * their backs.
 */
export interface Deployment extends QueueDeployment {
  readonly url: string;
  readonly prefix: string;
  readonly redis: Redis;
  /** A producer whose connection is up, unless it is wanted at once. */
  producer(options?: {
    readonly url?: string;
    readonly atOnce?: boolean;
  }): Promise<{ readonly producer: Producer; readonly log: TestLog }>;
  /** What FLUSHALL does, to this prefix only: in one step no key is left. */
  flush(): Promise<void>;
}

/** Where nobody asks how long a command takes: on a busy machine it takes long. */
const patient = { commandMs: 60_000, redisSilentMs: 60_000 };

/** `knownPrefix`: of a service that runs already. */
export function openDeployment(knownPrefix?: string): Deployment {
  const { url, prefix: freshPrefix } = testRedis();
  const prefix = knownPrefix ?? freshPrefix;
  const redis = new Redis(url);
  const stops: (() => Promise<void>)[] = [];
  const flush = async (): Promise<void> => {
    await deleteKeys(redis, `${prefix}:*`);
  };
  return {
    url,
    prefix,
    redis,
    flush,
    async producer({ url: redisUrl = url, atOnce = false } = {}) {
      const log = recordingLog();
      const producer = createProducer({ redisUrl, prefix, log, ...(redisUrl === url && patient) });
      stops.push(() => producer.part.stop());
      if (!atOnce) await eventually(() => producer.check());
      return { producer, log };
    },
    async consumer(options) {
      const log = recordingLog();
      const consumer = createConsumer({
        redisUrl: url,
        prefix,
        job: 'video.advance',
        handle: () => Promise.resolve(done),
        log,
        ...options,
      });
      stops.push(() => consumer.part.stop());
      await consumer.part.start?.();
      return { consumer, log };
    },
    async liveJobs(queue) {
      const keys = await redis.keys(`${prefix}:${queue}:*_*`);
      return keys.map((key) => key.split(':')[2] ?? '').sort();
    },
    delayedJobs: (queue) => redis.zcard(`${prefix}:${queue}:delayed`),
    async close() {
      for (const stop of stops.reverse()) await stop();
      await flush();
      await redis.quit();
    },
  };
}
