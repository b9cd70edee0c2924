import { idPattern, type IdKind } from '@gateway/domain';

/**
 * Every job there is: its queue, how many a replica works on at once, and what kind of id it
 * carries. A job wakes somebody up for an id and carries no state; whoever takes it reads the row.
 * Adding a line here breaks the build until a handler exists for it.
 */
export const jobs = {
  'video.advance': { queue: 'video', concurrency: 64, subject: 'task' },
  'callback.push': { queue: 'callback', concurrency: 64, subject: 'task' },
  'billing.settle': { queue: 'billing', concurrency: 16, subject: 'task' },
  'metering.apply': { queue: 'metering', concurrency: 4, subject: 'usageBatch' },
} as const satisfies Record<`${string}.${string}`, JobSpec>;

interface JobSpec {
  readonly queue: string;
  readonly concurrency: number;
  /** Of what the job carries the id. */
  readonly subject: IdKind;
}

export type JobName = keyof typeof jobs;
export type JobSubject = (typeof jobs)[JobName]['subject'];

export interface JobPayload {
  readonly id: string;
}

/**
 * What travels through Redis: the payload, the id that makes its logs findable, and the W3C context
 * of the subject's trace where it has one.
 */
export interface JobEnvelope {
  readonly version: 2;
  readonly payload: JobPayload;
  readonly trace: { readonly requestId: string; readonly traceparent?: string };
}

/** JSON Schema of the envelopes of one job: an id of another kind is refused. */
export const jobEnvelopeSchema = (job: JobName) =>
  ({
    type: 'object',
    required: ['version', 'payload', 'trace'],
    properties: {
      version: { const: 2 },
      payload: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string', pattern: idPattern(jobs[job].subject) } },
      },
      trace: {
        type: 'object',
        required: ['requestId'],
        properties: {
          requestId: { type: 'string', maxLength: 128 },
          traceparent: { type: 'string', maxLength: 200 },
        },
      },
    },
  }) as const;
