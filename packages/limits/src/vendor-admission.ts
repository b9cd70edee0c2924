import type { BreakerState } from './breaker.ts';
import type { SteeredBreakers } from './breakers.ts';

/** Which of the tasks that wait for a vendor may have a slot. */
export interface VendorAdmission {
  readonly isOpen: boolean;
  /** One task of any account, as a probe. */
  readonly isTrial: boolean;
  /** Accounts that get no slot. */
  readonly paused: readonly string[];
  /** Accounts that get one slot, as a probe. */
  readonly onTrial: readonly string[];
}

const accountPrefix = 'account ';
/** The breaker of one account before a vendor. */
export const accountBreaker = (vendor: string, account: string): string =>
  `${accountPrefix}${account} ${vendor}`;

/** An admission on trial takes this long to become a submission; until then nobody else gets one. */
const offerEveryMs = 2_000;

/** Reads the breakers of vendors and accounts; offers what is on trial once in a while. */
export function createAdmission({
  breakers,
  now,
}: {
  readonly breakers: SteeredBreakers;
  readonly now: () => number;
}): (vendor: string) => VendorAdmission {
  const offeredAt = new Map<string, number>();
  const mayOffer = (name: string): boolean => {
    const time = now();
    if (!breakers.mayProbe(name) || time - (offeredAt.get(name) ?? -Infinity) < offerEveryMs) {
      return false;
    }
    offeredAt.set(name, time);
    return true;
  };
  return (vendor) => {
    const none = { isOpen: false, isTrial: false, paused: [], onTrial: [] };
    if (breakers.areClosed()) {
      offeredAt.clear();
      return none;
    }
    const isTrial = breakers.stateOf(vendor) === 'half_open' && mayOffer(vendor);
    if (breakers.stateOf(vendor) !== 'closed' && !isTrial) return { ...none, isOpen: true };
    const standing = accountsAt(breakers, vendor);
    const onTrial = standing.filter(
      ({ name, state }) => state === 'half_open' && (isTrial || mayOffer(name)),
    );
    const paused = standing.filter((each) => !onTrial.includes(each));
    return { isOpen: false, isTrial, paused: accounts(paused), onTrial: accounts(onTrial) };
  };
}

interface Standing {
  readonly name: string;
  readonly account: string;
  readonly state: BreakerState;
}

const accounts = (standing: readonly Standing[]): string[] =>
  standing.map(({ account }) => account);

/** The accounts whose breakers before this vendor are not closed. */
const accountsAt = (breakers: SteeredBreakers, vendor: string): Standing[] =>
  [...breakers.states()].flatMap(([name, state]) => {
    const account = accountAt(vendor, name);
    return account === undefined || state === 'closed' ? [] : [{ name, account, state }];
  });

/** The account whose breaker before this vendor it is; undefined for any other breaker. */
function accountAt(vendor: string, breaker: string): string | undefined {
  if (!breaker.startsWith(accountPrefix)) return undefined;
  const end = breaker.indexOf(' ', accountPrefix.length);
  return breaker.slice(end + 1) === vendor ? breaker.slice(accountPrefix.length, end) : undefined;
}

const severity: readonly BreakerState[] = ['closed', 'half_open', 'open'];

/** By vendor, the worst of its breakers. */
export function statesByVendor(
  breakers: SteeredBreakers,
  servesAnybody: (vendor: string) => boolean,
): ReadonlyMap<string, BreakerState> {
  const found = new Map<string, BreakerState>();
  for (const [name, state] of breakers.states()) {
    const isForOne = name.startsWith(accountPrefix);
    const vendor = isForOne ? name.slice(name.indexOf(' ', accountPrefix.length) + 1) : name;
    if (isForOne && servesAnybody(vendor)) continue;
    const known = found.get(vendor) ?? 'closed';
    found.set(vendor, severity.indexOf(state) > severity.indexOf(known) ? state : known);
  }
  return found;
}
