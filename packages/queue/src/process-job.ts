import { DelayedError, WaitingError, type Job } from 'bullmq';
import type { JobEnvelope, JobName } from '@gateway/contracts';
import {
  countUnexpected,
  currentContext,
  errorType,
  isUnexpected,
  runWith,
  type FaultScope,
  type Log,
} from '@gateway/runtime';
import { retryAfter, type JobOutcome } from './job-outcome.ts';
import { openJobSpan, type JobTracing } from './job-span.ts';
import { subjectOf } from './subject.ts';

/**
 * Handles one task, or whatever else the job is for. `signal` is aborted when a stopping process
 * can wait no longer: hand the work back.
 */
export type JobHandler = (id: string, signal: AbortSignal) => Promise<JobOutcome>;

export interface ProcessJobOptions extends JobTracing {
  readonly job: JobName;
  readonly handle: JobHandler;
  readonly log: Log;
  /**
   * Whether this process's clock is right, by which delays are counted. While it is not, jobs go
   * back to the queue, for processes whose clock is. By default it always is.
   */
  readonly isClockRight?: (() => boolean) | undefined;
  /** After about how long a job is handled again whose handler threw: 5 s when left out. */
  readonly retryMs?: number;
}

interface Received {
  readonly token: string | undefined;
  readonly options: ProcessJobOptions;
  readonly isEnvelope: (value: unknown) => value is JobEnvelope;
  readonly signal: AbortSignal;
}

/** A handler that threw is called again after about this; the task itself loses nothing by it. */
const usualRetryMs = 5_000;

/** Restores the request's context, calls the handler, and reports its outcome to BullMQ. */
export async function processJob(
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
  const subject = subjectOf(options.job, id);
  const { scope, failure } = jobScope(id);
  const context = {
    requestId,
    ...subject,
    queue: job.queueName,
    scope,
    ...(traced && { span: traced.span }),
  };
  const outcome = await runWith(context, () => handleSafely(id, options, { signal, failure }));
  traced?.close(outcome);
  if (outcome.kind === 'done') return;
  if (options.isClockRight?.() === false) return handBack(job, token);
  await job.moveToDelayed(Date.now() + outcome.afterMs, token);
  throw new DelayedError();
}

/** At once, and to whoever takes it: a delay of this process would be wrong. */
export async function handBack(job: Job<JobEnvelope>, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

/** What the handler's listeners and timers throw, which nobody awaits, ends the job as well. */
function jobScope(id: string): { readonly scope: FaultScope; readonly failure: Promise<never> } {
  let fail = (_error: unknown): void => undefined;
  const failure = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failure.catch(() => undefined); // once the job is over nobody waits for it
  return {
    scope: {
      where: 'job',
      fail: (error) => {
        fail(error);
      },
      account: () => id,
    },
    failure,
  };
}

/** A handler that throws hit a fault of ours (a store is down, a bug): log it as an error, retry. */
async function handleSafely(
  id: string,
  { handle, log, retryMs = usualRetryMs }: ProcessJobOptions,
  { signal, failure }: { readonly signal: AbortSignal; readonly failure: Promise<never> },
): Promise<JobOutcome> {
  try {
    return await Promise.race([handle(id, signal), failure]);
  } catch (error) {
    if (signal.aborted) return retryAfter(0);
    if (isUnexpected(error)) countUnexpected('job');
    currentContext()?.span?.fail(errorType(error));
    log.error('job failed, will be retried', { error });
    return retryAfter(Math.round(retryMs * (0.8 + 0.4 * Math.random())));
  }
}
