import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker, type Job } from 'bullmq';
import { createAjv, jobEnvelopeSchema, jobs, type JobEnvelope } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import type { HealthCheck, Log, Part } from '@gateway/runtime';
import {
  checkWrites,
  closeConnection,
  connectPatiently,
  type PatientConnection,
  type RedisAddress,
} from './connection.ts';
import { handBack, processJob, type ProcessJobOptions } from './process-job.ts';
import { subjectOf } from './subject.ts';

export interface ConsumerOptions extends ProcessJobOptions, RedisAddress {
  readonly prefix: string;
  /**
   * Called after a job has left the queue: a wake-up that arrived while it was active was
   * swallowed, so check whether its subject is due and wake it again.
   */
  readonly recheck?: (id: string) => Promise<void>;
  readonly concurrency?: number;
  readonly stopping?: Stopping;
}

/** What a worker does that is told to stop. */
interface Stopping {
  /** It may finish its work for this long; then it is asked to hand it back. */
  readonly graceMs: number;
  /** Then it waits for nobody any more. */
  readonly closeDeadlineMs: number;
}

/** What a consumer has done so far and is doing now. */
export interface ConsumerActivity {
  readonly queue: string;
  /** Jobs taken since the start. */
  readonly taken: number;
  readonly active: number;
  readonly concurrency: number;
  /** It takes no jobs because its process's clock is wrong. */
  readonly isHeld: boolean;
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
const usualStopping: Stopping = { graceMs: 8_000, closeDeadlineMs: 12_000 };
/** Without Redis nothing can be handed back: the lock expires by itself. */
const awayDeadlineMs = 2_000;

/** Binds a handler to its queue. */
export function createConsumer(options: ConsumerOptions): Consumer {
  const { prefix, job, log, stopping = usualStopping } = options;
  const { queue, concurrency } = jobs[job];
  const isEnvelope = createAjv().compile<JobEnvelope>(jobEnvelopeSchema(job));
  const connection = connectPatiently(options, log);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // one for each active job is no leak
  let taken = 0;
  const active = new Set<Promise<void>>();
  const take = async (received: Job<JobEnvelope>, token: string | undefined): Promise<void> => {
    if (hold.isDue()) return handBack(received, token);
    taken += 1;
    const done = processJob(received, { token, options, isEnvelope, signal: ending.signal });
    active.add(done);
    await done.finally(() => {
      active.delete(done);
    });
  };
  const worker = new Worker<JobEnvelope>(queue, take, {
    connection: connection.redis,
    prefix,
    autorun: false,
    concurrency: options.concurrency ?? concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledCheckMs,
    // BullMQ counts stalls over a job's whole life and never resets them; ours live as long as
    // their task.
    maxStalledCount: 1_000_000,
  });
  const hold = holdWhileClockIsWrong(worker, options);
  listen(worker, { queue, isEnvelope, options });
  return {
    activity: () => ({
      queue,
      taken,
      active: active.size,
      concurrency: worker.concurrency,
      isHeld: worker.isPaused(),
    }),
    setConcurrency(most) {
      worker.concurrency = most;
    },
    check: () => checkWrites(connection.redis, prefix),
    part: workerPart(worker, { queue, connection, active, ending, hold, stopping, log }),
  };
}

/** That a clock was set is noticed within this. */
const clockCheckMs = 250;

interface Hold {
  /** Whether no job may be taken now; the worker stops fetching at once. */
  readonly isDue: () => boolean;
  readonly start: () => void;
  readonly stop: () => void;
}

/** A worker that is held fetches nothing; it goes on by itself when the clock is right. */
function holdWhileClockIsWrong(
  worker: Worker<JobEnvelope>,
  { isClockRight = () => true }: Pick<ConsumerOptions, 'isClockRight'>,
): Hold {
  let timer: NodeJS.Timeout | undefined;
  const check = (): boolean => {
    const isDue = !isClockRight();
    // Its active jobs go on: their writes carry their epoch.
    if (isDue && !worker.isPaused()) void worker.pause(true);
    if (!isDue && worker.isPaused()) void worker.resume();
    return isDue;
  };
  return {
    isDue: check,
    start() {
      check();
      timer = setInterval(check, clockCheckMs).unref();
    },
    stop() {
      clearInterval(timer);
    },
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
    log.warn('queue worker failed', { queue, reason: error.message });
  });
  worker.on('completed', ({ data }) => {
    if (!isEnvelope(data)) return;
    const { id } = data.payload;
    void recheck?.(id).catch((error: unknown) => {
      log.warn('could not recheck after a job, left to the reconciler', {
        ...subjectOf(job, id),
        reason: describeError(error),
      });
    });
  });
}

/**
 * BullMQ 6 ends this timer once its main loop has ended, which a Redis that says nothing more keeps it
 * from; it would keep the process alive.
 */
const endLockTimer = (worker: Worker): Promise<void> =>
  (worker as unknown as { lockManager: { close(): Promise<void> } }).lockManager.close();

interface WorkerPartOptions {
  readonly queue: string;
  readonly connection: PatientConnection;
  /** The jobs that this process works on. */
  readonly active: ReadonlySet<Promise<void>>;
  /** Aborted when active jobs must be handed back. */
  readonly ending: AbortController;
  readonly hold: Hold;
  readonly stopping: Stopping;
  readonly log: Log;
}

function workerPart(
  worker: Worker<JobEnvelope>,
  { queue, connection, active, ending, hold, stopping, log }: WorkerPartOptions,
): Part {
  return {
    name: `${queue} worker`,
    start() {
      hold.start();
      void worker.run().catch((error: unknown) => {
        log.error('queue worker ended', { queue, error });
      });
      return Promise.resolve();
    },
    async stop() {
      hold.stop();
      const abort = setTimeout(() => {
        ending.abort();
      }, stopping.graceMs);
      if (connection.redis.status === 'ready') {
        // close() waits for active jobs without any bound of its own.
        const deadline = delay(stopping.closeDeadlineMs, undefined, { ref: false });
        await Promise.race([worker.close(), deadline]);
        await endLockTimer(worker);
      } else {
        const finished = Promise.allSettled(active);
        await Promise.race([finished, delay(awayDeadlineMs, undefined, { ref: false })]);
        // Without force it would wait for Redis, and dial and renew locks for ever.
        await worker.close(true);
      }
      clearTimeout(abort);
      connection.abandonCommands();
      await closeConnection(connection.redis);
    },
  };
}
