import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { jobs, type JobEnvelope, type JobName } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import { currentContext, errorType, type HealthCheck, type Log, type Part } from '@gateway/runtime';
import {
  checkWrites,
  closeConnection,
  connectFailingFast,
  type RedisAddress,
} from './connection.ts';
import { openSendSpan } from './job-span.ts';
import { readAllDelayed, readDelayed } from './queue-states.ts';
import { subjectOf } from './subject.ts';

export interface WakeOptions {
  readonly requestId?: string;
  readonly delayMs?: number;
  /**
   * Also brings a delayed job forward. One that is active stays as it is: hurry again while it
   * matters.
   */
  readonly hurry?: boolean;
  /** The present request has just made this subject: the job belongs to its trace. */
  readonly isOwnTrace?: boolean;
}

/**
 * Wakes somebody up for a task or another subject. Waking again while its job lives is a no-op;
 * when the job is gone it is the repair.
 */
export interface Producer {
  /**
   * Never throws and need not be awaited: what Redis does not take now, the reconciler finds in
   * Postgres.
   */
  wake(job: JobName, id: string, options?: WakeOptions): Promise<void>;
  /** Wakes many at once; throws when Redis is away. */
  wakeAll(job: JobName, ids: readonly string[]): Promise<void>;
  /**
   * Brings the jobs forward that are delayed by more than `beyondMs`; throws when Redis is away.
   */
  bringForward(
    job: JobName,
    ids: readonly string[],
    options: { readonly beyondMs: number },
  ): Promise<void>;
  /** The same for all jobs of this kind; at most a thousand in one call. */
  bringAllForward(job: JobName, options: { readonly beyondMs: number }): Promise<void>;
  readonly check: HealthCheck;
  readonly part: Part;
}

export interface ProducerOptions extends RedisAddress {
  /** BullMQ's key prefix: one a deployment (tests use one each). */
  readonly prefix: string;
  readonly log: Log;
}

const bulkSize = 1_000;

/**
 * Postgres is the truth and a finished id must be free for the next wake-up, so nothing is kept.
 */
const jobOptions = { removeOnComplete: true, removeOnFail: true } as const;

export function createProducer({ prefix, log, ...address }: ProducerOptions): Producer {
  const redis = connectFailingFast(address, log);
  const queues = createQueues(redis, { prefix, log });
  return {
    async wake(job, id, { requestId, delayMs, hurry = false, isOwnTrace = false } = {}) {
      const sending = openSendSpan(job, id, isOwnTrace);
      try {
        await queues.of(job).add(job, envelopeOf(id, requestId, sending?.traceparent), {
          ...jobOptions,
          jobId: id,
          ...(delayMs !== undefined && { delay: delayMs }),
        });
        if (hurry) await promote(queues.of(job), id);
      } catch (error) {
        sending?.fail(errorType(error));
        queues.discard(job);
        log.warn('wake-up not queued, left to the reconciler', {
          job,
          ...subjectOf(job, id),
          reason: describeError(error),
        });
      } finally {
        sending?.end();
      }
    },
    async wakeAll(job, ids) {
      for (let start = 0; start < ids.length; start += bulkSize) {
        const added = ids.slice(start, start + bulkSize).map((id) => ({
          name: job,
          data: envelopeOf(id, undefined),
          opts: { ...jobOptions, jobId: id },
        }));
        await queues.of(job).addBulk(added).catch(discardAndThrow(queues, job));
      }
    },
    ...createForwarding(redis, { prefix, queues }),
    check: () => checkWrites(redis, prefix),
    part: {
      name: 'queue producer',
      async stop() {
        await queues.close();
        await closeConnection(redis);
      },
    },
  };
}

function createForwarding(
  redis: Redis,
  { prefix, queues }: { readonly prefix: string; readonly queues: Queues },
): Pick<Producer, 'bringForward' | 'bringAllForward'> {
  const promoteAll = (job: JobName, delayed: readonly string[]): Promise<unknown> =>
    Promise.all(delayed.map((id) => promote(queues.of(job), id))).catch(
      discardAndThrow(queues, job),
    );
  return {
    async bringForward(job, ids, { beyondMs }) {
      for (let start = 0; start < ids.length; start += bulkSize) {
        const delayed = await readDelayed(redis, {
          prefix,
          queue: jobs[job].queue,
          ids: ids.slice(start, start + bulkSize),
          dueAfter: Date.now() + beyondMs,
        });
        await promoteAll(job, delayed);
      }
    },
    async bringAllForward(job, { beyondMs }) {
      const delayed = await readAllDelayed(redis, {
        prefix,
        queue: jobs[job].queue,
        dueAfter: Date.now() + beyondMs,
        limit: bulkSize,
      });
      await promoteAll(job, delayed);
    },
  };
}

interface Queues {
  of(job: JobName): Queue;
  /**
   * BullMQ keeps a queue broken that was first used without Redis: the next wake-up opens a new
   * one.
   */
  discard(job: JobName): void;
  close(): Promise<void>;
}

function createQueues(
  connection: Redis,
  { prefix, log }: Pick<ProducerOptions, 'prefix' | 'log'>,
): Queues {
  const queues = new Map<string, Queue>();
  return {
    of(job) {
      const { queue: name } = jobs[job];
      const known = queues.get(name);
      if (known !== undefined) return known;
      const queue = new Queue(name, {
        connection,
        prefix,
        skipWaitingForReady: true,
        streams: { events: { maxLen: 100 } },
      });
      queue.on('error', (error) => {
        log.warn('queue connection failed', { queue: name, reason: error.message });
      });
      queues.set(name, queue);
      return queue;
    },
    discard(job) {
      const { queue: name } = jobs[job];
      void queues
        .get(name)
        ?.close()
        .catch(() => undefined); // it has nothing of its own to lose
      queues.delete(name);
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

const discardAndThrow =
  (queues: Queues, job: JobName) =>
  (error: unknown): never => {
    queues.discard(job);
    throw error;
  };

const envelopeOf = (
  id: string,
  requestId: string | undefined,
  traceparent?: string,
): JobEnvelope => ({
  version: 2,
  payload: { id },
  trace: {
    requestId: requestId ?? currentContext()?.requestId ?? 'none',
    ...(traceparent !== undefined && { traceparent }),
  },
});

async function promote(queue: Queue, jobId: string): Promise<void> {
  const job = await queue.getJob(jobId);
  // It may come due between the two calls, and then there is nothing to bring forward.
  if (job !== undefined && (await job.isDelayed())) await job.promote().catch(() => undefined);
}
