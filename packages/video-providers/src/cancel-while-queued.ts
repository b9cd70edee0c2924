import { describeResponse, type SendOutcome, type VendorResponse } from './http.ts';
import type { CancelOutcome, PollOutcome } from './port.ts';
import { isSuccess } from './refusal.ts';

export interface QueuedCancellation {
  readonly poll: () => Promise<PollOutcome>;
  readonly remove: () => Promise<SendOutcome>;
  /** Whether a success holds a refusal, in a format where it can. */
  readonly isRefusal?: (answer: VendorResponse) => boolean;
}

/**
 * Refusals of a running task: 409 and 400 have both been seen, and 404 for a task that is not
 * known.
 */
const refusals: readonly number[] = [400, 404, 409];

/**
 * Polls before it deletes, for vendors whose `DELETE` cancels a queued task, is refused for a
 * running one, and erases the record of a finished one, with its video. A task that starts between
 * the two requests is refused (`not_cancellable`).
 */
export async function cancelWhileQueued({
  poll,
  remove,
  isRefusal = () => false,
}: QueuedCancellation): Promise<CancelOutcome> {
  const seen = await poll();
  if (seen.kind === 'error') return { kind: 'error', detail: seen.detail };
  if (seen.kind === 'failed' && seen.failure === 'cancelled') return { kind: 'cancelled' };
  if (seen.kind !== 'pending') {
    return {
      kind: 'not_cancellable',
      detail: seen.kind === 'succeeded' ? 'the task has succeeded' : seen.detail,
    };
  }
  if (seen.vendorStatus !== 'queued') {
    return { kind: 'not_cancellable', detail: `the task is ${seen.vendorStatus}` };
  }
  const sent = await remove();
  if (sent.kind !== 'answered') return { kind: 'error', detail: sent.detail };
  return isRefusal(sent)
    ? { kind: 'not_cancellable', detail: describeResponse(sent) }
    : readCancelAnswer(sent);
}

/** The answer to a `DELETE`. */
export function readCancelAnswer(answer: VendorResponse): CancelOutcome {
  if (isSuccess(answer.status)) return { kind: 'cancelled' };
  return {
    kind: refusals.includes(answer.status) ? 'not_cancellable' : 'error',
    detail: describeResponse(answer),
  };
}
