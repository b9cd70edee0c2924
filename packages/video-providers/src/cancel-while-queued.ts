import { describeResponse, type SendOutcome, type VendorResponse } from './http.ts';
import type { CancelOutcome, PollOutcome } from './port.ts';
import { isOwn } from './own-response.ts';
import { isSuccess, type ErrorFormat } from './refusal.ts';
import { readRecord } from './vendor-value.ts';

export interface QueuedCancellation {
  readonly poll: () => Promise<PollOutcome>;
  readonly remove: () => Promise<SendOutcome>;
  readonly format: CancelFormat;
  /** The statuses in which the vendor still cancels a task; `queued` when left out. */
  readonly cancellable?: readonly string[];
}

/** How one wire format responds to a `DELETE`. */
export interface CancelFormat extends Pick<ErrorFormat, 'errorShapes' | 'readError'> {
  /** Whether the vendor says that it has done it. */
  readonly isDone: (response: VendorResponse) => boolean;
}

/**
 * Refusals of a running task: 409 and 400 have both been seen, and 404 for a task that is not
 * known.
 */
const refusals: readonly number[] = [400, 404, 409];

/**
 * Polls before it deletes, for vendors whose `DELETE` cancels a task that is not over, of some only
 * while it is queued, and erases the record of a finished one, with its video. A task that starts between
 * the two requests is refused (`not_cancellable`).
 */
export async function cancelWhileQueued({
  poll,
  remove,
  format,
  cancellable = ['queued'],
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
  if (!cancellable.includes(seen.vendorStatus)) {
    return { kind: 'not_cancellable', detail: `the task is ${seen.vendorStatus}` };
  }
  const sent = await remove();
  if (sent.kind !== 'responded') return { kind: 'error', detail: sent.detail };
  return readCancelResponse(sent, format);
}

/**
 * The response to a `DELETE`. A page, or a success in another form than the vendor's, is an `error`:
 * whether the task is cancelled, the next poll says.
 */
export function readCancelResponse(
  response: VendorResponse,
  { errorShapes, readError, isDone }: CancelFormat,
): CancelOutcome {
  const detail = describeResponse(response);
  const isSuccessful = isSuccess(response.status);
  const isRefusal =
    isOwn(response, errorShapes) && readError(readRecord(response.json)) !== undefined;
  if (isRefusal && (isSuccessful || refusals.includes(response.status))) {
    return { kind: 'not_cancellable', detail };
  }
  return isSuccessful && isDone(response) ? { kind: 'cancelled' } : { kind: 'error', detail };
}
