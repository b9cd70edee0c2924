import { Queue } from 'bullmq';
import { jobs, type JobEnvelope, type JobName } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import { currentContext, errorType, type HealthCheck, type Log, type Part } from '@gateway/runtime';
import { closeConnection, connectFailingFast } from './connection.ts';
import { openSendSpan } from './job-span.ts';
import { readPutOff } from './queue-states.ts';
import { subjectOf } from './subject.ts';

export interface WakeOptions {
  readonly requestId?: string;
  readonly delayMs?: number;
  /**
   * Also brings the look forward that a living job was put off to. One that is under way stays as
   * it is: hurry again while it matters.
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
   * Brings the looks forward of those whose living job is put off for longer than `beyondMs`;
   * throws when Redis is away.
   */
  bringForward(
    job: JobName,
    ids: readonly string[],
    options: { readonly beyondMs: number },
  ): Promise<void>;
  readonly check: HealthCheck;
  readonly part: Part;
}

export interface ProducerOptions {
  readonly redisUrl: string;
  /** BullMQ's key prefix: one a deployment (tests use one each). */
  readonly prefix: string;
  readonly log: Log;
}

const bulkSize = 1_000;

/**
 * Postgres is the truth and a finished id must be free for the next wake-up, so nothing is kept.
 */
const jobOptions = { removeOnComplete: true, removeOnFail: true } as const;

export function createProducer({ redisUrl, prefix, log }: ProducerOptions): Producer {
  const redis = connectFailingFast(redisUrl, log);
  const queues = new Map<string, Queue>();
  const queueOf = (job: JobName): Queue => {
    const { queue: name } = jobs[job];
    const known = queues.get(name);
    if (known !== undefined) return known;
    const queue = new Queue(name, {
      connection: redis,
      prefix,
      skipWaitingForReady: true,
      streams: { events: { maxLen: 100 } },
    });
    queue.on('error', (error) => {
      log.warn('queue', { queue: name, reason: error.message });
    });
    queues.set(name, queue);
    return queue;
  };
  const forget = (job: JobName): void => {
    const { queue: name } = jobs[job];
    void queues
      .get(name)
      ?.close()
      .catch(() => undefined); // it has nothing of its own to lose
    queues.delete(name);
  };
  const forgetting =
    (job: JobName) =>
    (error: unknown): never => {
      forget(job);
      throw error;
    };
  const envelope = (
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
  return {
    async wake(job, id, { requestId, delayMs, hurry = false, isOwnTrace = false } = {}) {
      const sending = openSendSpan(job, id, isOwnTrace);
      try {
        await queueOf(job).add(job, envelope(id, requestId, sending?.traceparent), {
          ...jobOptions,
          jobId: id,
          ...(delayMs !== undefined && { delay: delayMs }),
        });
        if (hurry) await promote(queueOf(job), id);
      } catch (error) {
        sending?.fail(errorType(error));
        // BullMQ keeps a queue broken that was first used without Redis: the next wake-up starts
        // with a fresh one.
        forget(job);
        log.warn('wake-up not taken, left to the reconciler', {
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
        const chunk = ids.slice(start, start + bulkSize);
        await queueOf(job)
          .addBulk(
            chunk.map((id) => ({
              name: job,
              data: envelope(id, undefined),
              opts: { ...jobOptions, jobId: id },
            })),
          )
          .catch(forgetting(job));
      }
    },
    async bringForward(job, ids, { beyondMs }) {
      for (let start = 0; start < ids.length; start += bulkSize) {
        const putOff = await readPutOff(redis, {
          prefix,
          queue: jobs[job].queue,
          ids: ids.slice(start, start + bulkSize),
          dueAfter: Date.now() + beyondMs,
        });
        await Promise.all(putOff.map((id) => promote(queueOf(job), id))).catch(forgetting(job));
      }
    },
    check: () => redis.ping(),
    part: {
      name: 'queue producer',
      async stop() {
        await Promise.all([...queues.values()].map((queue) => queue.close()));
        await closeConnection(redis);
      },
    },
  };
}

async function promote(queue: Queue, jobId: string): Promise<void> {
  const job = await queue.getJob(jobId);
  // Between the two looks its time may come, and then there is nothing to bring forward.
  if (job !== undefined && (await job.isDelayed())) await job.promote().catch(() => undefined);
}
