import type { ClaimedCallback, PendingPush } from '@gateway/store';

export type Next =
  | { readonly kind: 'challenge' }
  /** Whatever is pending and older than this push is superseded by it. */
  | { readonly kind: 'push'; readonly push: PendingPush }
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** Pushing has stopped; what came since is not sent. */
  | { readonly kind: 'stop_pending' }
  | { readonly kind: 'rest' };

/**
 * What a callback needs next, given its pushes from the oldest to the newest. While the receiver
 * takes them, every status is sent in order; once it has failed, the newest goes first, so that it
 * never sees an older status after a newer one.
 */
export function decideNext(
  { state, failures, dueInMs }: ClaimedCallback,
  pending: readonly PendingPush[],
): Next {
  const oldest = pending[0];
  const newest = pending.at(-1);
  if (oldest === undefined || newest === undefined) return { kind: 'rest' };
  if (state === 'stopped') return { kind: 'stop_pending' };
  if (dueInMs !== null && dueInMs > 0) return { kind: 'wait', afterMs: dueInMs };
  if (state === 'unverified') return { kind: 'challenge' };
  return { kind: 'push', push: failures > 0 ? newest : oldest };
}
