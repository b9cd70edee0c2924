import { DelayedError, type Job } from 'bullmq';
import type { JobEnvelope, JobName } from '@gateway/contracts';
import { currentContext, errorType, runWith, type Log } from '@gateway/runtime';
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
}

interface Received {
  readonly token: string | undefined;
  readonly options: ProcessJobOptions;
  readonly isEnvelope: (value: unknown) => value is JobEnvelope;
  readonly signal: AbortSignal;
}

/** A handler that threw is called again after about this; the task itself loses nothing by it. */
const retryMs = 5_000;

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

/** A handler that throws hit a fault of ours (a store is down, a bug): log it as an error, retry. */
async function handleSafely(
  id: string,
  { handle, log }: ProcessJobOptions,
  signal: AbortSignal,
): Promise<JobOutcome> {
  try {
    return await handle(id, signal);
  } catch (error) {
    if (signal.aborted) return retryAfter(0);
    currentContext()?.span?.fail(errorType(error));
    log.error('job failed, will be retried', { error });
    return retryAfter(Math.round(retryMs * (0.8 + 0.4 * Math.random())));
  }
}
