import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { createAjv, jobEnvelopeSchema, jobs, type JobEnvelope } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import type { HealthCheck, Log, Part } from '@gateway/runtime';
import { closeConnection, connectPatiently } from './connection.ts';
import { processJob, type ProcessJobOptions } from './process-job.ts';
import { subjectOf } from './subject.ts';

export interface ConsumerOptions extends ProcessJobOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  /**
   * Called after a job has left the queue: a wake-up that arrived while it was active was
   * swallowed, so check whether its subject is due and wake it again.
   */
  readonly recheck?: (id: string) => Promise<void>;
  readonly concurrency?: number;
}

/** What a consumer has done so far and is doing now. */
export interface ConsumerActivity {
  readonly queue: string;
  /** Jobs taken since the start. */
  readonly taken: number;
  readonly active: number;
  readonly concurrency: number;
}

export interface Consumer {
  readonly activity: () => ConsumerActivity;
  /** Runs this many jobs at once from now on. */
  setConcurrency(concurrency: number): void;
  readonly check: HealthCheck;
  readonly part: Part;
}

/**
 * A crashed worker's job is noticed once its lock has expired and one check has marked it: within
 * about half a minute.
 */
const lockMs = 15_000;
const stalledCheckMs = 8_000;
/** A stopping worker may finish its work for this long; then it is asked to hand it back. */
const graceMs = 8_000;
const closeDeadlineMs = 12_000;
/** Without Redis nothing can be handed back: the lock expires by itself. */
const awayDeadlineMs = 2_000;

/** Binds a handler to its queue. */
export function createConsumer(options: ConsumerOptions): Consumer {
  const { redisUrl, prefix, job, log } = options;
  const { queue, concurrency } = jobs[job];
  const isEnvelope = createAjv().compile<JobEnvelope>(jobEnvelopeSchema(job));
  const connection = connectPatiently(redisUrl, log);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // one for each active job is no leak
  let taken = 0;
  const active = new Set<Promise<void>>();
  const take = async (received: Job<JobEnvelope>, token: string | undefined): Promise<void> => {
    taken += 1;
    const done = processJob(received, { token, options, isEnvelope, signal: ending.signal });
    active.add(done);
    await done.finally(() => {
      active.delete(done);
    });
  };
  const worker = new Worker<JobEnvelope>(queue, take, {
    connection,
    prefix,
    autorun: false,
    concurrency: options.concurrency ?? concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledCheckMs,
    // BullMQ counts stalls over a job's whole life and never resets them; ours live as long as
    // their task.
    maxStalledCount: 1_000_000,
  });
  listen(worker, { queue, isEnvelope, options });
  return {
    activity: () => ({ queue, taken, active: active.size, concurrency: worker.concurrency }),
    setConcurrency(most) {
      worker.concurrency = most;
    },
    check: () => connection.ping(),
    part: workerPart(worker, { queue, connection, active, ending, log }),
  };
}

interface Listening {
  readonly queue: string;
  readonly isEnvelope: (value: unknown) => value is JobEnvelope;
  readonly options: ConsumerOptions;
}

function listen(
  worker: Worker<JobEnvelope>,
  { queue, isEnvelope, options: { job, log, recheck } }: Listening,
): void {
  // Without a listener an emitted error ends the process; a FLUSHALL emits several.
  worker.on('error', (error) => {
    log.warn('queue worker', { queue, reason: error.message });
  });
  worker.on('completed', ({ data }) => {
    if (!isEnvelope(data)) return;
    const { id } = data.payload;
    void recheck?.(id).catch((error: unknown) => {
      log.warn('recheck after a job failed, left to the reconciler', {
        ...subjectOf(job, id),
        reason: describeError(error),
      });
    });
  });
}

interface WorkerPartOptions {
  readonly queue: string;
  readonly connection: Redis;
  /** The jobs that this process works on. */
  readonly active: ReadonlySet<Promise<void>>;
  /** Aborted when active jobs must be handed back. */
  readonly ending: AbortController;
  readonly log: Log;
}

function workerPart(
  worker: Worker<JobEnvelope>,
  { queue, connection, active, ending, log }: WorkerPartOptions,
): Part {
  return {
    name: `${queue} worker`,
    start() {
      void worker.run().catch((error: unknown) => {
        log.error('queue worker ended', { queue, error });
      });
      return Promise.resolve();
    },
    async stop() {
      const handBack = setTimeout(() => {
        ending.abort();
      }, graceMs);
      if (connection.status === 'ready') {
        // close() waits for active jobs without any bound of its own.
        await Promise.race([worker.close(), delay(closeDeadlineMs, undefined, { ref: false })]);
      } else {
        const finished = Promise.allSettled(active);
        await Promise.race([finished, delay(awayDeadlineMs, undefined, { ref: false })]);
        // Without force it would wait for Redis, and dial and renew locks for ever.
        await worker.close(true);
      }
      clearTimeout(handBack);
      await closeConnection(connection);
    },
  };
}
