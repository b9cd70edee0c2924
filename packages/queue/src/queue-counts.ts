import type { Redis } from 'ioredis';
import { jobs } from '@gateway/contracts';
import type { Log, Part } from '@gateway/runtime';
import { closeConnection, connectFailingFast } from './connection.ts';
import { readQueueState } from './queue-states.ts';

/** How many jobs one queue has, by what they wait for. Tasks in a vendor's queue have none. */
export interface QueueCount {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  /** Put off to a time. */
  readonly delayed: number;
  readonly failed: number;
}

export interface QueueCounts {
  /** Rejects when Redis is away. */
  read(): Promise<QueueCount[]>;
  readonly part: Part;
}

const names = [...new Set(Object.values(jobs).map(({ queue }) => queue))];

/** Looks at the queues and changes nothing; connects at the first look. */
export function createQueueCounts({
  redisUrl,
  prefix,
  log,
}: {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly log: Log;
}): QueueCounts {
  let redis: Redis | undefined;
  return {
    async read() {
      redis ??= connectFailingFast({ redisUrl }, log);
      const connection = redis;
      if (connection.status !== 'ready') await onceReady(connection);
      return Promise.all(names.map((name) => countOf(connection, { prefix, name })));
    },
    part: {
      name: 'queue counts',
      async stop() {
        if (redis !== undefined) await closeConnection(redis);
      },
    },
  };
}

async function countOf(
  redis: Redis,
  { prefix, name }: { readonly prefix: string; readonly name: string },
): Promise<QueueCount> {
  const { waiting, active, delayed, failed } = await readQueueState(redis, {
    prefix,
    queue: name,
    now: Date.now(),
  });
  return { name, waiting, active, delayed, failed };
}

const readyWaitMs = 2_000;

function onceReady(connection: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      settle(() => {
        reject(new Error('Redis does not respond'));
      });
    }, readyWaitMs);
    const onReady = (): void => {
      settle(resolve);
    };
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      connection.off('ready', onReady);
      end();
    };
    connection.once('ready', onReady);
  });
}
