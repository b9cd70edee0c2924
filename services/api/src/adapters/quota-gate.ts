import type { UsageReads } from '@gateway/store';

export interface QuotaGateOptions {
  readonly availableOf: UsageReads['availableOf'];
  /** How long a balance is used as it is. */
  readonly freshMs?: number;
  readonly now?: () => number;
}

/** Beyond fresh and up to this age, a balance is used at once while a newer one is read. */
const staleMs = 5_000;
const maxAccounts = 10_000;

interface Known {
  readonly available: number;
  readonly readAt: number;
}

/**
 * What an account has available, as of a moment ago: for refusing requests, never for charging. At
 * most one query for each account is under way. Rejects only when nothing recent is known and the
 * database does not respond.
 */
export function createQuotaGate({
  availableOf,
  freshMs = 1_000,
  now = Date.now,
}: QuotaGateOptions): (accountId: string) => number | Promise<number> {
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<number>>();

  function ask(accountId: string): Promise<number> {
    const underWay = asking.get(accountId);
    if (underWay !== undefined) return underWay;
    const readAt = now();
    const answer = availableOf(accountId)
      .then((available) => {
        if (known.size >= maxAccounts) known.clear();
        known.set(accountId, { available, readAt });
        return available;
      })
      .finally(() => asking.delete(accountId));
    asking.set(accountId, answer);
    return answer;
  }

  return (accountId) => {
    const hit = known.get(accountId);
    const ageMs = hit === undefined ? Infinity : now() - hit.readAt;
    if (hit === undefined || ageMs > staleMs) return ask(accountId);
    // a later request waits for its own query, and sees the failure
    if (ageMs > freshMs) void ask(accountId).catch(() => undefined);
    return hit.available;
  };
}
