import type { TextTrace } from '../request/index.ts';
import type { CallOutcome } from '../upstream/index.ts';
import type { FailedAttempt } from './judge-outcome.ts';

/** Ends the span of one upstream's call. `failed`: why the client still waits, if it does. */
export function endTracedAttempt(
  trace: TextTrace,
  outcome: CallOutcome,
  failed: FailedAttempt | undefined,
): void {
  trace.endAttempt(
    outcome.kind === 'whole' ? outcome.head.status : undefined,
    errorTypeOf(outcome, failed),
  );
}

function errorTypeOf(outcome: CallOutcome, failed: FailedAttempt | undefined): string | undefined {
  const failure =
    failed?.failure ??
    (outcome.kind === 'streamed' || outcome.kind === 'failed' ? outcome.failure : undefined);
  if (failure === undefined) return undefined;
  return failure.kind === 'refused' ? String(failure.status) : failure.kind;
}
