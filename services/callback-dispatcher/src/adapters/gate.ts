import type { PostFailure } from '@gateway/outbound';
import type { SharedLimits } from '@gateway/limits';
import type { DeferReason, SendPermit, PermitRequest, SendOutcome } from '../use-cases/attempt.ts';
import type { FeedWaiting } from '../use-cases/feed-waiting.ts';
import type { Flow, FlowAttempt } from '../use-cases/flow.ts';

export interface GateOptions {
  readonly limits: Pick<SharedLimits, 'slots' | 'breakers'>;
  readonly flow: Pick<Flow, 'begin'>;
  readonly waiting: Pick<FeedWaiting, 'rest' | 'responded'>;
  readonly maxPerOrigin: number;
  readonly maxPerAccount: number;
}

/** Failures that say nothing about whether the receiver works. */
const notItsFault: ReadonlySet<PostFailure> = new Set(['blocked_address', 'invalid_answer']);

/**
 * Keeps one receiver from using up the dispatcher: asks first what this replica may send it, then
 * limits what is in flight to one origin of an account and for one account over all replicas, and
 * sends nothing while the origin does not respond. Each account has its own count for an origin: a
 * stranger who lets pushes hang at an address must not hold up those of its other users.
 */
export function createGate({
  limits: { slots, breakers },
  flow,
  waiting,
  maxPerOrigin,
  maxPerAccount,
}: GateOptions): (request: PermitRequest) => Promise<SendPermit> {
  return async ({ accountId, url, isForced }) => {
    const receiver = receiverOf(accountId, url);
    const defer = (reason: DeferReason): SendPermit => ({ kind: 'deferred', receiver, reason });
    const begun = flow.begin(receiver);
    if (typeof begun === 'string') return defer(begun);
    const held = await acquireBoth(receiver, accountId);
    if (typeof held === 'string' || !(isForced || breakers.mayTry(receiver))) {
      begun.cancel();
      waiting.rest(receiver, typeof held === 'string' ? 'slots' : 'breaker');
      if (typeof held === 'string') return defer(held);
      for (const slot of held) slot.release();
      return defer('circuit');
    }
    return {
      kind: 'granted',
      release(outcome, attempt) {
        endWith(begun, outcome);
        for (const slot of held) slot.release();
        note(receiver, outcome, attempt);
      },
    };
  };

  /** One of the origin and one of the account, over all replicas; or which of both has none. */
  async function acquireBoth(
    receiver: string,
    accountId: string,
  ): Promise<readonly { release(): void }[] | 'origin' | 'account'> {
    const slot = await slots.acquire(`origin ${receiver}`, maxPerOrigin);
    if (slot === undefined) return 'origin';
    const accountSlot = await slots.acquire(`account ${accountId}`, maxPerAccount);
    if (accountSlot !== undefined) return [slot, accountSlot];
    slot.release();
    return 'account';
  }

  /**
   * Only first attempts count against an origin: one task's own retries must not keep the others
   * from being tried.
   */
  function note(receiver: string, outcome: SendOutcome | undefined, attempt: number): void {
    if (outcome?.kind === 'responded') {
      breakers.succeeded(receiver);
      waiting.responded(receiver);
    }
    if (outcome?.kind === 'failed' && attempt === 1 && !notItsFault.has(outcome.class)) {
      breakers.failed(receiver);
    }
  }
}

/** An attempt that never began, or was cut off, says nothing about its receiver. */
function endWith(begun: FlowAttempt, outcome: SendOutcome | undefined): void {
  if (outcome === undefined || outcome.kind === 'interrupted') begun.cancel();
  else begun.end();
}

/** As `accountOf` reads it. */
const receiverOf = (accountId: string, url: string): string =>
  `${accountId} ${URL.canParse(url) ? new URL(url).origin : url}`;
