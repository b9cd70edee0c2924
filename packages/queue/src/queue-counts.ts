import { Queue } from 'bullmq';
import { jobs } from '@gateway/contracts';
import type { Log, Part } from '@gateway/runtime';
import { closeConnection, connectFailingFast } from './connection.ts';

/** How many jobs one queue has, by what they wait for. Tasks in line for a vendor have none. */
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
export function createQueueCounts({ redisUrl, prefix, log }: { readonly redisUrl: string; readonly prefix: string; readonly log: Log }): QueueCounts {
  let redis: ReturnType<typeof connectFailingFast> | undefined;
  return {
    async read() {
      redis ??= connectFailingFast(redisUrl, log);
      const connection = redis;
      if (connection.status !== 'ready') await onceReady(connection);
      return Promise.all(names.map((name) => countsOf(name, { connection, prefix })));
    },
    part: {
      name: 'queue counts',
      async stop() {
        if (redis !== undefined) await closeConnection(redis);
      },
    },
  };
}

async function countsOf(name: string, { connection, prefix }: { connection: ReturnType<typeof connectFailingFast>; prefix: string }): Promise<QueueCount> {
  // BullMQ keeps a queue broken that was first used without Redis, so each look has its own.
  const queue = new Queue(name, { connection, prefix, skipWaitingForReady: true, skipMetasUpdate: true });
  queue.on('error', () => undefined); // the look itself rejects
  try {
    const counts = await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed');
    const of = (state: string): number => counts[state] ?? 0;
    return { name, waiting: of('wait') + of('prioritized'), active: of('active'), delayed: of('delayed'), failed: of('failed') };
  } finally {
    await queue.close();
  }
}

const readyWaitMs = 2_000;

function onceReady(connection: ReturnType<typeof connectFailingFast>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => { settle(() => { reject(new Error('Redis does not answer')); }); }, readyWaitMs);
    const onReady = (): void => { settle(resolve); };
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      connection.off('ready', onReady);
      end();
    };
    connection.once('ready', onReady);
  });
}
