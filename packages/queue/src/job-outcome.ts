/** What became of a job: its work is done, or it should run again in `afterMs` milliseconds. */
export type JobOutcome =
  { readonly kind: 'done' } | { readonly kind: 'retry'; readonly afterMs: number };

export const done: JobOutcome = { kind: 'done' };
export const retryAfter = (afterMs: number): JobOutcome => ({ kind: 'retry', afterMs });
