import type { PostFailure } from '@gateway/outbound';
import type { SharedLimits } from '@gateway/limits';
import { createDeferrals } from '../use-cases/deferrals.ts';
import type { DeferReason, SendPermit, PermitRequest, SendOutcome } from '../use-cases/attempt.ts';

export interface GateOptions {
  readonly limits: Pick<SharedLimits, 'slots' | 'breakers'>;
  readonly maxPerOrigin: number;
  readonly maxPerAccount: number;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
}

/** Failures that say nothing about whether the receiver works. */
const notItsFault: ReadonlySet<PostFailure> = new Set(['blocked_address', 'invalid_answer']);

/**
 * Keeps one receiver from using up the dispatcher: limits what is in flight to one origin of an
 * account and for one account, over all replicas, and sends nothing while the origin does not
 * answer. Each account has its own count for an origin: a stranger who lets pushes hang at an
 * address must not hold up those of its other users.
 */
export function createGate({
  limits: { slots, breakers },
  maxPerOrigin,
  maxPerAccount,
  now,
}: GateOptions): (request: PermitRequest) => Promise<SendPermit> {
  const deferrals = createDeferrals({ maxInFlight: maxPerOrigin, now });
  return async ({ accountId, url, isForced }) => {
    const key = `${accountId} ${originOf(url)}`;
    const defer = (reason: DeferReason): SendPermit => ({
      kind: 'deferred',
      afterMs: deferrals.nextAfterMs(key),
      reason,
    });
    const slot = await slots.acquire(`origin ${key}`, maxPerOrigin);
    if (slot === undefined) return defer('origin');
    const accountSlot = await slots.acquire(`account ${accountId}`, maxPerAccount);
    const mayTry = accountSlot !== undefined && (isForced || breakers.mayTry(key));
    if (!mayTry) {
      slot.release();
      accountSlot?.release();
      return defer(accountSlot === undefined ? 'account' : 'circuit');
    }
    const end = deferrals.begin(key);
    return {
      kind: 'granted',
      release(outcome, attempt) {
        end();
        slot.release();
        accountSlot.release();
        note(key, outcome, attempt);
      },
    };
  };

  /**
   * Only first attempts count against an origin: one task's own retries must not keep the others
   * from being tried.
   */
  function note(key: string, outcome: SendOutcome | undefined, attempt: number): void {
    if (outcome?.kind === 'answered') breakers.succeeded(key);
    if (outcome?.kind === 'failed' && attempt === 1 && !notItsFault.has(outcome.class)) {
      breakers.failed(key);
    }
  }
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);
