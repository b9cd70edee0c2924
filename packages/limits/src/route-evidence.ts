/**
 * What one replica has seen of a route that several accounts use: whom it served, and whose requests
 * it failed. No I/O and no clock in here.
 *
 * A failure that one request may have provoked says that the route fails for everybody only when
 * several accounts have it. So each account has a count of its own, and no account makes up more
 * than half of what opens the route's breaker for others.
 */
export interface RouteEvidence {
  readonly accounts: Map<string, AccountEvidence>;
  /** Failures by account since the route last served anybody. */
  readonly failing: Map<string, number>;
  readonly trials: Trials;
}

export interface AccountEvidence {
  /** When the route last served the account, in ms. */
  servedAt: number;
  /** Failures since then, each counted as often as it may be. */
  inRow: number;
  /** What counts once in a window, and when it last did. */
  readonly seen: Map<string, number>;
  readonly trials: Trials;
}

/** Trials of the running second. */
interface Trials {
  second: number;
  count: number;
}

/** Whom the evidence speaks against. */
export type Verdict = 'nobody' | 'account' | 'route';

/** For how long one failure counts once, and for how long being served speaks for a route. */
const windowMs = 30_000;
/** More than that and the first that came are forgotten. */
const mostAccounts = 2_000;
const mostSeen = 32;
/** A second, for one replica. */
const trialsOfRoute = 20;
const trialsOfNewAccount = 10;

export const createRouteEvidence = (): RouteEvidence => ({
  accounts: new Map(),
  failing: new Map(),
  trials: { second: 0, count: 0 },
});

/** Most that one account adds to what opens a breaker for others: never all of it. */
const shareOf = (failuresToOpen: number): number => Math.ceil(failuresToOpen / 2);

export function noteServed(route: RouteEvidence, account: string, now: number): void {
  const evidence = accountOf(route, account);
  evidence.servedAt = now;
  evidence.inRow = 0;
  if (route.failing.size > 0) route.failing.clear();
}

/** A failure that no request can provoke. */
export function noteOutage(route: RouteEvidence, account: string): void {
  accountOf(route, account).inRow += 1;
}

/** A failure that the request may have provoked; with `once` it counts once in a window. */
export function noteFailed(
  route: RouteEvidence,
  account: string,
  {
    once,
    now,
    failuresToOpen,
  }: {
    readonly once: string | undefined;
    readonly now: number;
    readonly failuresToOpen: number;
  },
): Verdict {
  const evidence = accountOf(route, account);
  if (once !== undefined && !isNew(evidence, once, now)) return 'nobody';
  evidence.inRow += 1;
  route.failing.set(account, (route.failing.get(account) ?? 0) + 1);
  if (weightOf(route, failuresToOpen) >= failuresToOpen) {
    route.failing.clear();
    return 'route';
  }
  return evidence.inRow >= failuresToOpen ? 'account' : 'nobody';
}

/** The route has served this account of late, and has not failed it again and again since. */
export function isServed(
  { accounts }: RouteEvidence,
  account: string,
  { now, failuresToOpen }: { readonly now: number; readonly failuresToOpen: number },
): boolean {
  const evidence = accounts.get(account);
  return (
    evidence !== undefined &&
    now - evidence.servedAt < windowMs &&
    evidence.inRow < shareOf(failuresToOpen)
  );
}

/** The route has served some account of late. */
export const servesAnybody = (
  route: RouteEvidence,
  when: { readonly now: number; readonly failuresToOpen: number },
): boolean => [...route.accounts.keys()].some((account) => isServed(route, account, when));

/**
 * Whether a request may be sent though the breaker is open: some a second, one a second for an
 * account that has seen it fail.
 */
export function takeTrial(route: RouteEvidence, account: string, now: number): boolean {
  const evidence = accountOf(route, account);
  const second = Math.floor(now / 1_000);
  for (const trials of [route.trials, evidence.trials]) {
    if (trials.second === second) continue;
    trials.second = second;
    trials.count = 0;
  }
  const limit = evidence.inRow === 0 ? trialsOfNewAccount : 1;
  if (route.trials.count >= trialsOfRoute || evidence.trials.count >= limit) return false;
  route.trials.count += 1;
  evidence.trials.count += 1;
  return true;
}

function accountOf({ accounts }: RouteEvidence, account: string): AccountEvidence {
  const known = accounts.get(account);
  if (known !== undefined) return known;
  if (accounts.size >= mostAccounts) forgetFirst(accounts);
  const evidence: AccountEvidence = {
    servedAt: -Infinity,
    inRow: 0,
    seen: new Map(),
    trials: { second: 0, count: 0 },
  };
  accounts.set(account, evidence);
  return evidence;
}

function isNew({ seen }: AccountEvidence, once: string, now: number): boolean {
  const before = seen.get(once) ?? -Infinity;
  if (now - before < windowMs) return false;
  seen.delete(once);
  seen.set(once, now);
  if (seen.size > mostSeen) forgetFirst(seen);
  return true;
}

function weightOf({ failing }: RouteEvidence, failuresToOpen: number): number {
  const share = shareOf(failuresToOpen);
  let weight = 0;
  for (const count of failing.values()) {
    weight += Math.min(count, share);
    if (weight >= failuresToOpen) return weight;
  }
  return weight;
}

function forgetFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
