/**
 * Every job there is: its queue, and how many a replica works on at once. A job wakes somebody up for a task id and
 * carries no state; whoever takes it reads the row. Adding a line here breaks the build until a handler exists for it.
 */
export const jobs = {
  'video.advance': { queue: 'video', concurrency: 64 },
  'callback.push': { queue: 'callback', concurrency: 64 },
  'billing.settle': { queue: 'billing', concurrency: 16 },
} as const satisfies Record<`${string}.${string}`, JobSpec>;

interface JobSpec {
  readonly queue: string;
  readonly concurrency: number;
}

export type JobName = keyof typeof jobs;
export type QueueName = (typeof jobs)[JobName]['queue'];

export interface JobPayload {
  readonly taskId: string;
}

/** What travels through Redis: the payload and the id that makes its logs findable. */
export interface JobEnvelope {
  readonly version: 1;
  readonly payload: JobPayload;
  readonly trace: { readonly requestId: string };
}

export const jobEnvelopeSchema = {
  type: 'object', required: ['version', 'payload', 'trace'],
  properties: {
    version: { const: 1 },
    payload: { type: 'object', required: ['taskId'], properties: { taskId: { type: 'string', pattern: '^video_[0-9a-z]{26}$' } } },
    trace: { type: 'object', required: ['requestId'], properties: { requestId: { type: 'string', maxLength: 128 } } },
  },
} as const;
