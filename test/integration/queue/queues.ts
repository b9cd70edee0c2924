import { expect } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createConsumer,
  createProducer,
  done,
  type Consumer,
  type ConsumerOptions,
  type Producer,
} from '@gateway/queue';
import { eventually, recordingLog, testRedis } from '@gateway/testing';
import { Redis } from 'ioredis';
import { deleteKeys } from './delete-keys.ts';

export type TestLog = ReturnType<typeof recordingLog>;

/**
 * A deployment of its own: producers and consumers under one key prefix, and a look at Redis behind
 * their backs.
 */
export interface Deployment {
  readonly url: string;
  readonly prefix: string;
  readonly redis: Redis;
  /** A producer whose connection is up, unless it is wanted at once. */
  producer(options?: {
    readonly url?: string;
    readonly atOnce?: boolean;
  }): Promise<{ readonly producer: Producer; readonly log: TestLog }>;
  /** A consumer that is running. */
  consumer(
    options?: Partial<ConsumerOptions>,
  ): Promise<{ readonly consumer: Consumer; readonly log: TestLog }>;
  /** What FLUSHALL does, to this prefix only: in one step no key is left. */
  flush(): Promise<void>;
  /** Keys of jobs that live: waiting, delayed or active. */
  liveJobs(queue: string): Promise<string[]>;
  close(): Promise<void>;
}

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
      const producer = createProducer({ redisUrl, prefix, log });
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
    async close() {
      for (const stop of stops.reverse()) await stop();
      await flush();
      await redis.quit();
    },
  };
}

export const aTaskId = (): string => newId('task');

/** A promise, and what settles it. */
export function aGate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    passed,
    open: () => {
      open();
    },
  };
}

/** Waits until the list holds exactly this. */
export const eventuallyEqual = async (list: () => unknown, expected: unknown): Promise<void> => {
  await eventually(() => {
    expect(list()).toEqual(expected);
  });
};
