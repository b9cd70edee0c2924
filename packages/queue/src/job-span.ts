import type { Job } from 'bullmq';
import { jobs, type JobEnvelope, type JobName } from '@gateway/contracts';
import { currentContext, type Span, type SpanAttributes, type Tracing } from '@gateway/runtime';
import type { Outcome } from './consumer.ts';
import { subjectOf } from './subject.ts';

/** W3C `traceparent` of the request that made this subject, as its row knows it. */
export type TraceOf = (id: string) => Promise<string | undefined>;

export interface JobTracing {
  readonly tracing?: Tracing | undefined;
  /** For jobs that come without their trace: reconcilers make them from ids alone. */
  readonly traceOf?: TraceOf;
}

/**
 * So many looks of a job's life are told each, then those whose number is a power of two: a task
 * that is polled for an hour stays one small trace.
 */
const toldLooks = 8;

/** Whether a look that changed nothing is told all the same. */
export const isToldLook = (look: number): boolean => look <= toldLooks || (look & (look - 1)) === 0;

export interface JobSpan {
  readonly span: Span;
  close(outcome: Outcome): void;
}

/**
 * The span of one look at a job, in the trace of its subject; undefined when that has none. Ours
 * and not BullMQ's own: those also tell of each idle fetch and lock, cannot be held back, and take
 * whoever adds a job for its parent.
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
  // Without its trace a look is only not told.
  const parent = traceparent ?? (await traceOf?.(id).catch(() => undefined));
  if (tracing === undefined || parent === undefined) return undefined;
  const look = job.attemptsStarted;
  const { span, settle } = tracing.startHeld(`process ${name}`, {
    kind: 'consumer',
    parent,
    attributes: {
      ...messageOf(name, id),
      'messaging.operation.type': 'process',
      'gateway.job.look': look,
    },
  });
  return {
    span,
    close(outcome) {
      span.set({ 'gateway.job.outcome': outcome.kind });
      settle(outcome.kind === 'done' || isToldLook(look));
    },
  };
}

/**
 * The span of sending a job, when it is sent by a step of its own subject's trace: others have no
 * say in where a job belongs.
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
