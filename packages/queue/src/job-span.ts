import type { Job } from 'bullmq';
import { jobs, type JobEnvelope, type JobName } from '@gateway/contracts';
import { currentContext, type Span, type SpanAttributes, type Tracing } from '@gateway/runtime';
import type { JobOutcome } from './job-outcome.ts';
import { subjectOf } from './subject.ts';

/** W3C `traceparent` of the request that made this subject, as its row knows it. */
export type TraceOf = (id: string) => Promise<string | undefined>;

export interface JobTracing {
  readonly tracing?: Tracing | undefined;
  /** For jobs that come without their trace: reconcilers make them from ids alone. */
  readonly traceOf?: TraceOf;
}

/**
 * The first attempts of a job are all reported, later ones when their number is a power of two: a
 * task that is polled for an hour stays one small trace.
 */
const reportedAttempts = 8;

/** Whether an attempt that changed nothing is reported all the same. */
export const isReportedAttempt = (attempt: number): boolean =>
  attempt <= reportedAttempts || (attempt & (attempt - 1)) === 0;

export interface JobSpan {
  readonly span: Span;
  close(outcome: JobOutcome): void;
}

/**
 * The span of one attempt at a job, in the trace of its subject; undefined when that has none. Ours
 * and not BullMQ's own: those also report each idle fetch and lock, cannot be held back, and make
 * whoever adds a job its parent.
 */
export async function openJobSpan(
  job: Job<JobEnvelope>,
  name: JobName,
  { tracing, traceOf }: JobTracing,
): Promise<JobSpan | undefined> {
  const {
    payload: { id },
    trace: { traceparent },
  } = job.data;
  // An attempt without a trace is just not reported.
  const parent = traceparent ?? (await traceOf?.(id).catch(() => undefined));
  if (tracing === undefined || parent === undefined) return undefined;
  const attempt = job.attemptsStarted;
  const { span, settle } = tracing.startHeld(`process ${name}`, {
    kind: 'consumer',
    parent,
    attributes: {
      ...messageOf(name, id),
      'messaging.operation.type': 'process',
      'gateway.job.attempt': attempt,
    },
  });
  return {
    span,
    close(outcome) {
      span.set({ 'gateway.job.outcome': outcome.kind === 'done' ? 'done' : 'retry' });
      settle(outcome.kind === 'done' || isReportedAttempt(attempt));
    },
  };
}

/**
 * The span of sending a job, when it is sent by a step of its own subject's trace: anything
 * else has no say in which trace a job belongs to.
 */
export function openSendSpan(name: JobName, id: string, isOwnTrace: boolean): Span | undefined {
  const { span, taskId } = currentContext() ?? {};
  if (span === undefined || !(isOwnTrace || taskId === id)) return undefined;
  return span.child(`send ${name}`, {
    kind: 'producer',
    isRoutine: true,
    attributes: { ...messageOf(name, id), 'messaging.operation.type': 'send' },
  });
}

const messageOf = (name: JobName, id: string): SpanAttributes => ({
  'messaging.system': 'bullmq',
  'messaging.destination.name': jobs[name].queue,
  'messaging.message.id': id,
  ...('taskId' in subjectOf(name, id) && { 'gateway.task.id': id }),
});
