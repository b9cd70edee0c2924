import type { RateDecision, RateLimits } from './rate-limits.ts';
import type { Slot } from './slot-serving.ts';
import type { Slots } from './slots.ts';

/** What one subject may do, over all replicas. */
export interface RequestBounds {
  readonly requestsPerMinute: number;
  readonly concurrentRequests: number;
}

export interface RequestVerdict {
  readonly decision: RateDecision;
  /** Undefined when the request was refused, for its rate or because too many run at once. */
  readonly slot: Slot | undefined;
}

/**
 * Rate and concurrent requests of one subject, decided together: in one trip to Redis where this
 * replica does not know enough. A request that is refused for one of them costs nothing of the
 * other.
 */
export interface RequestLimits {
  /** At once where both are known here; never throws or rejects. */
  admit(subject: string, bounds: RequestBounds): RequestVerdict | Promise<RequestVerdict>;
}

export function createRequestLimits(rate: RateLimits, slots: Slots): RequestLimits {
  const judge = (
    subject: string,
    decision: RateDecision,
    slot: Slot | undefined,
  ): RequestVerdict => {
    if (slot === undefined) rate.giveBack(subject, decision);
    return { decision, slot };
  };
  const decideLater = async (
    subject: string,
    taken: RateDecision | Promise<RateDecision>,
    acquired: Slot | undefined | Promise<Slot | undefined>,
  ): Promise<RequestVerdict> => {
    const decision = await taken;
    if (decision.allowed) return judge(subject, decision, await acquired);
    // A refusal does not wait for a slot that it has no use for.
    void Promise.resolve(acquired).then((slot) => slot?.release());
    return { decision, slot: undefined };
  };
  return {
    admit(subject, { requestsPerMinute, concurrentRequests }) {
      const taken = rate.take(subject, requestsPerMinute);
      const isTaken = !(taken instanceof Promise);
      if (isTaken && !taken.allowed) return { decision: taken, slot: undefined };
      const acquired = slots.acquire(subject, concurrentRequests);
      return isTaken && !(acquired instanceof Promise)
        ? judge(subject, taken, acquired)
        : decideLater(subject, taken, acquired);
    },
  };
}
