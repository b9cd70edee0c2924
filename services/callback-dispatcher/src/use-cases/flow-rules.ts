/**
 * How quickly a receiver ends an attempt: `unknown` until the first one has ended, `slow` from when
 * one has taken too long until one ends in time.
 */
export type Speed = 'unknown' | 'fast' | 'slow';

/**
 * What forbids an attempt: as many are in flight to this origin, or for this account, as may be; or
 * slow receivers, or receivers that nobody knows, have their share of this replica.
 */
export type FlowRefusal = 'origin' | 'account' | 'slow' | 'unknown';

export interface FlowRules {
  /** Of this replica. */
  readonly maxInFlight: number;
  readonly maxPerOrigin: number;
  readonly maxPerAccount: number;
  /** An attempt that takes longer, in milliseconds, shows that its receiver is slow. */
  readonly slowAfterMs: number;
}

/** What is in flight, or kept for pushes that are about to be sent. */
export interface FlowTotals {
  readonly taken: Readonly<Record<Speed, number>>;
  /** With something in flight to a slow receiver. */
  readonly slowAccounts: number;
}

/** What is known of one receiver and of its account. */
export interface ReceiverState {
  readonly speed: Speed;
  readonly taken: number;
  /** How many attempts may be in flight while it is not slow. */
  readonly window: number;
  readonly account: { readonly taken: number; readonly unknown: number; readonly slow: number };
}

const share = 1 / 4;
/** With so many at slow receivers, an account tries unknown ones one at a time beyond its part. */
const fewSlow = 8;

/** What forbids one more attempt at the receiver, if anything does. */
export function refusalOf(
  receiver: ReceiverState,
  totals: FlowTotals,
  rules: FlowRules,
): FlowRefusal | undefined {
  const { account, speed, taken, window } = receiver;
  if (taken >= rules.maxPerOrigin || (speed === 'fast' && taken >= window)) return 'origin';
  if (account.taken >= rules.maxPerAccount) return 'account';
  if (speed === 'fast') return undefined;
  const most = Math.max(1, Math.floor(rules.maxInFlight * share));
  if (countsAsSlow(receiver)) return hasPart(account, totals, most) ? undefined : 'slow';
  const isFull = hasNoneForUnknown(totals.taken, most, rules.maxInFlight);
  return isFull || taken >= window ? 'unknown' : undefined;
}

/** Also when more hang than slow receivers may have: they were unknown a moment ago. */
const hasNoneForUnknown = (
  { slow, unknown }: FlowTotals['taken'],
  most: number,
  maxInFlight: number,
): boolean => unknown >= most || unknown + slow >= maxInFlight - most;

const countsAsSlow = ({ speed, account }: ReceiverState): boolean =>
  speed === 'slow' || (account.slow >= fewSlow && account.unknown > 0);

/** Slow accounts divide what slow receivers may have evenly; each has one at least. */
function hasPart(
  account: ReceiverState['account'],
  { taken, slowAccounts }: FlowTotals,
  most: number,
): boolean {
  const sharers = account.slow > 0 ? slowAccounts : slowAccounts + 1;
  return taken.slow < most && account.slow < Math.max(1, Math.floor(most / sharers));
}
