import { afterFailure, type Judgement } from '@gateway/domain';
import type { CallbackProgress } from '@gateway/store';

export interface ProgressRule {
  /** Failed attempts in a row before this one. */
  readonly failures: number;
  /** Somebody asked for this attempt: its failure spends nothing of what is left. */
  readonly manual: boolean;
  readonly delaysMs: readonly number[];
  /** Uniform in [0, 1). */
  readonly random: number;
}

/**
 * What an attempt means for the callback: a success clears the failures, a failure spends one of
 * them.
 */
export function progressAfter(
  { attemptClass, retryAfterMs }: Judgement,
  { failures: before, manual, delaysMs, random }: ProgressRule,
): CallbackProgress {
  if (attemptClass === 'success') return { kind: 'succeeded' };
  const failures = manual ? Math.max(before, 1) : before + 1;
  const after = afterFailure({ attemptClass, failures, retryAfterMs, delaysMs, random });
  return after.kind === 'retry'
    ? { kind: 'retry', failures, afterMs: after.afterMs }
    : { kind: 'stop', failures, reason: after.reason };
}
