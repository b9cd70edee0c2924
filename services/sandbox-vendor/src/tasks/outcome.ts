import type { Task, TaskFailure } from './task.ts';

/** How a task will end when nobody cancels it and its time suffices. */
export type Outcome =
  | {
      readonly kind: 'succeeded';
      readonly renderedSeconds: number;
      readonly reportedSeconds: number;
      readonly hasVideo: boolean;
    }
  | { readonly kind: 'failed'; readonly error: TaskFailure }
  | { readonly kind: 'expired' }
  | { readonly kind: 'never' };

/**
 * What makes a task fail or expire. The codes are the sandbox's own: they stand in its journal, Ark's
 * format shows them as they are, and the others put theirs in their place.
 */
export const failures = {
  internal: {
    code: 'InternalServiceError',
    message: 'The service encountered an unexpected internal error. Please try again later.',
  },
  moderated: {
    code: 'OutputVideoSensitiveContentDetected',
    message: 'The request failed because the output video may contain sensitive information.',
  },
  expired: {
    code: 'TaskExpired',
    message: 'The task was not finished within execution_expires_after.',
  },
  unreadableInput: {
    code: 'InvalidParameter.InputDownload',
    message: 'An image, video or audio clip of the request could not be downloaded.',
  },
} as const satisfies Readonly<Record<string, TaskFailure>>;

/** Reads a task's end from its directives; the first that applies wins. */
export function plannedOutcome({
  directives,
  parameters,
  lateProblem,
}: Pick<Task, 'directives' | 'parameters' | 'lateProblem'>): Outcome {
  if (directives.stall !== undefined) return { kind: 'never' };
  if (directives.expire !== undefined) return { kind: 'expired' };
  if (lateProblem !== undefined) return { kind: 'failed', error: lateProblem };
  if (directives.fail !== undefined) return { kind: 'failed', error: failures.internal };
  if (directives.moderate !== undefined) return { kind: 'failed', error: failures.moderated };
  const renderedSeconds = directives.actual ?? parameters.seconds;
  return {
    kind: 'succeeded',
    renderedSeconds,
    reportedSeconds: directives.claim ?? Math.floor(renderedSeconds),
    hasVideo: directives['no-output'] === undefined,
  };
}
