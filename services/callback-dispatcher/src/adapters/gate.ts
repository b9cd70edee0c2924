import type { PostFailure } from '@gateway/outbound';
import type { SharedLimits } from '@gateway/limits';
import { createLines } from '../use-cases/line.ts';
import type { DeferReason, Entry, EntryRequest, SendOutcome } from '../use-cases/attempt.ts';

export interface GateOptions {
  readonly limits: Pick<SharedLimits, 'slots' | 'circuits'>;
  readonly maxPerOrigin: number;
  readonly maxPerAccount: number;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
}

/** Failures that say nothing about whether the receiver works. */
const notItsFault: ReadonlySet<PostFailure> = new Set(['blocked_address', 'invalid_answer']);

/**
 * Keeps one receiver from using up the dispatcher: so much in flight to one origin of an account
 * and for one account, over all replicas, and nothing while the origin does not answer. An origin
 * counts for each account by itself: a stranger who lets pushes hang at an address must not hold up
 * those of its other users.
 */
export function createGate({
  limits: { slots, circuits },
  maxPerOrigin,
  maxPerAccount,
  now,
}: GateOptions): (request: EntryRequest) => Promise<Entry> {
  const lines = createLines({ places: maxPerOrigin, now });
  return async ({ accountId, url, insists }) => {
    const key = `${accountId} ${originOf(url)}`;
    const defer = (reason: DeferReason): Entry => ({
      kind: 'defer',
      afterMs: lines.next(key),
      reason,
    });
    const place = await slots.acquire(`origin ${key}`, maxPerOrigin);
    if (place === undefined) return defer('origin');
    const share = await slots.acquire(`account ${accountId}`, maxPerAccount);
    const mayTry = share !== undefined && (insists || circuits.mayTry(key));
    if (!mayTry) {
      place.release();
      share?.release();
      return defer(share === undefined ? 'account' : 'circuit');
    }
    const end = lines.begin(key);
    return {
      kind: 'enter',
      leave(outcome, attempt) {
        end();
        place.release();
        share.release();
        note(key, outcome, attempt);
      },
    };
  };

  /**
   * Only first attempts count against an origin: one task's own retries must not keep the others
   * from being tried.
   */
  function note(key: string, outcome: SendOutcome | undefined, attempt: number): void {
    if (outcome?.kind === 'answered') circuits.succeeded(key);
    if (outcome?.kind === 'failed' && attempt === 1 && !notItsFault.has(outcome.class)) {
      circuits.failed(key);
    }
  }
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);
