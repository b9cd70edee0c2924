import { setMaxListeners } from 'node:events';
import { DelayedError, Worker, type Job } from 'bullmq';
import {
  createAjv,
  jobEnvelopeSchema,
  jobs,
  type JobEnvelope,
  type JobName,
} from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import {
  currentContext,
  errorType,
  runWith,
  type HealthCheck,
  type Log,
  type Part,
} from '@gateway/runtime';
import { closeConnection, connectPatiently } from './connection.ts';
import { openJobSpan, type JobTracing } from './job-span.ts';
import { subjectOf } from './subject.ts';

/** What should happen to a job after a look at its subject: nothing more, or another look later. */
export type Outcome =
  { readonly kind: 'done' } | { readonly kind: 'again'; readonly afterMs: number };

export const done: Outcome = { kind: 'done' };
export const again = (afterMs: number): Outcome => ({ kind: 'again', afterMs });

/**
 * Looks at one task, or whatever else the job is for. `signal` is aborted when a stopping process
 * can wait no longer: hand the work back.
 */
export type Handler = (id: string, signal: AbortSignal) => Promise<Outcome>;

export interface ConsumerOptions extends JobTracing {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly job: JobName;
  readonly handle: Handler;
  /**
   * Called after a job has left the queue: a wake-up that came while it was active was swallowed,
   * so look whether its subject is due and wake it again.
   */
  readonly lookAgain?: (id: string) => Promise<void>;
  readonly concurrency?: number;
  readonly log: Log;
}

/** What a consumer has done and does. */
export interface ConsumerActivity {
  readonly queue: string;
  /** Jobs taken since the start. */
  readonly taken: number;
  readonly active: number;
  readonly concurrency: number;
}

export interface Consumer {
  readonly activity: () => ConsumerActivity;
  /** From now on so many jobs at once. */
  setConcurrency(concurrency: number): void;
  readonly check: HealthCheck;
  readonly part: Part;
}

/**
 * A crashed worker's job is seen after the lock has run out and one check has marked it: within
 * about half a minute.
 */
const lockMs = 15_000;
const stalledCheckMs = 8_000;
/** A failed look is repeated after this; the task itself loses nothing by it. */
const retryMs = 5_000;
/** A stopping worker lets what it is doing finish for so long, then asks for it back, then goes. */
const graceMs = 8_000;
const closeDeadlineMs = 12_000;
/** Without Redis nothing can be handed back: the lock runs out by itself. */
const awayDeadlineMs = 2_000;

/** Binds a handler to its queue. This file and the producer are all there is of BullMQ. */
export function createConsumer(options: ConsumerOptions): Consumer {
  const { redisUrl, prefix, job, log, lookAgain } = options;
  const { queue, concurrency } = jobs[job];
  const isEnvelope = createAjv().compile<JobEnvelope>(jobEnvelopeSchema(job));
  const connection = connectPatiently(redisUrl, log);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // one for each job at work is no leak
  let taken = 0;
  let active = 0;
  const take = async (received: Job<JobEnvelope>, token: string | undefined): Promise<void> => {
    taken += 1;
    active += 1;
    await processJob(received, { token, options, isEnvelope, signal: ending.signal }).finally(
      () => {
        active -= 1;
      },
    );
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
  // Without a listener an emitted error ends the process; a FLUSHALL emits several.
  worker.on('error', (error) => {
    log.warn('queue worker', { queue, reason: error.message });
  });
  worker.on('completed', ({ data }) => {
    if (!isEnvelope(data)) return;
    const { id } = data.payload;
    void lookAgain?.(id).catch((error: unknown) => {
      log.warn('second look failed, left to the reconciler', {
        ...subjectOf(job, id),
        reason: describeError(error),
      });
    });
  });
  return {
    activity: () => ({ queue, taken, active, concurrency: worker.concurrency }),
    setConcurrency(most) {
      worker.concurrency = most;
    },
    check: () => connection.ping(),
    part: {
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
        // close() waits for active jobs without any bound of its own.
        const closeWithinMs = connection.status === 'ready' ? closeDeadlineMs : awayDeadlineMs;
        await Promise.race([worker.close(), wait(closeWithinMs)]);
        clearTimeout(handBack);
        await closeConnection(connection);
      },
    },
  };
}

interface Received {
  readonly token: string | undefined;
  readonly options: ConsumerOptions;
  readonly isEnvelope: (value: unknown) => value is JobEnvelope;
  readonly signal: AbortSignal;
}

/** Restores the context of the request, asks the handler, and says its answer in BullMQ's words. */
async function processJob(
  job: Job<JobEnvelope>,
  { token, options, isEnvelope, signal }: Received,
): Promise<void> {
  const envelope: unknown = job.data;
  if (!isEnvelope(envelope)) {
    options.log.error('job dropped: not an envelope of this version', {
      queue: job.queueName,
      jobId: job.id,
    });
    return;
  }
  const {
    payload: { id },
    trace: { requestId },
  } = envelope;
  const traced = options.tracing && (await openJobSpan(job, options.job, options));
  const context = {
    requestId,
    ...subjectOf(options.job, id),
    queue: job.queueName,
    ...(traced && { span: traced.span }),
  };
  const outcome = await runWith(context, () => handleSafely(id, options, signal));
  traced?.close(outcome);
  if (outcome.kind === 'done') return;
  await job.moveToDelayed(Date.now() + outcome.afterMs, token);
  throw new DelayedError();
}

/**
 * A handler that throws has met a fault of ours (a store is down, a bug): said loudly, and looked
 * at again.
 */
async function handleSafely(
  id: string,
  { handle, log }: ConsumerOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await handle(id, signal);
  } catch (error) {
    if (signal.aborted) return again(0);
    currentContext()?.span?.fail(errorType(error));
    log.error('job failed, will be looked at again', { error });
    return again(Math.round(retryMs * (0.8 + 0.4 * Math.random())));
  }
}

const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
