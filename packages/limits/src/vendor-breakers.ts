import type { BreakerState } from './breaker.ts';
import type { SteeredBreakers } from './breakers.ts';
import {
  accountBreaker,
  createAdmission,
  statesByVendor,
  type VendorAdmission,
} from './vendor-admission.ts';
import {
  createRouteEvidence,
  noteFailed,
  noteServed,
  type RouteEvidence,
} from './route-evidence.ts';
import type { RouteFailure } from './route-breakers.ts';
import {
  countUnderWay,
  createVendorTrials,
  isServing,
  mayBeUnderWay,
  type VendorTrials,
} from './vendor-trials.ts';

/**
 * Circuit breakers of vendors in front of which a queue of tasks waits. Two stand before each
 * vendor, and all replicas share them:
 *
 * - one for everybody, which opens on outages that no request can provoke, and on failures of several
 *   accounts in a row;
 * - one for each account, which opens when only its own requests fail.
 *
 * So what one account's requests provoke delays nobody else. Where nothing was served lately, no
 * more submissions are under way than it takes to open a breaker.
 */
export interface VendorBreakers {
  /** What `enter` would say now, taking nothing; asks for the permit to probe where it lacks. */
  judge(vendor: string, account: string): VendorVerdict;
  /** Leave for one submission. */
  enter(vendor: string, account: string): VendorPermit;
  /**
   * Which tasks in the vendor's queue may have a slot. What is on trial is offered once in a while:
   * one task, by the replica that may probe.
   */
  admission(vendor: string): VendorAdmission;
  /**
   * A question that holds nothing of a customer's got no answer, after a submission whose outcome is
   * unknown. Opens the breaker for everybody, at once where nothing was served lately: submissions in
   * doubt may hold every slot, and then no more of them come to count.
   */
  unanswered(vendor: string): void;
  /** By vendor. What is open for one account counts while the vendor serves nobody else. */
  states(): ReadonlyMap<string, BreakerState>;
  onChange(listener: (change: VendorChange) => void): void;
}

/** `open`: nobody is served before the pause ends. `wait`: others are on their way already. */
export type VendorVerdict = 'go' | 'open' | 'wait';

export type VendorPermit =
  | { readonly kind: 'open' | 'wait' }
  | {
      readonly kind: 'granted';
      /** The one submission over all replicas by which a breaker closes or opens again. */
      readonly isProbe: boolean;
      readonly succeeded: () => void;
      readonly failed: (failure: RouteFailure) => void;
      /** To be called in any case; without an outcome before, the submission says nothing. */
      readonly end: () => void;
    };

/** Told by the replica that decided it, and by no other. */
export interface VendorChange {
  readonly vendor: string;
  /** Present where the breaker of one account changed. */
  readonly account?: string;
  readonly to: 'open' | 'closed';
}

export interface VendorBreakersOptions {
  readonly breakers: SteeredBreakers;
  readonly now: () => number;
  readonly failuresToOpen: number;
}

interface Vendor {
  readonly name: string;
  readonly evidence: RouteEvidence;
  readonly trials: VendorTrials;
}

export function createVendorBreakers(options: VendorBreakersOptions): VendorBreakers {
  const { breakers, now } = options;
  const vendors = new Map<string, Vendor>();
  const listeners: ((change: VendorChange) => void)[] = [];
  const vendorNamed = (name: string): Vendor => {
    const vendor = vendors.get(name) ?? {
      name,
      evidence: createRouteEvidence(),
      trials: createVendorTrials(),
    };
    vendors.set(name, vendor);
    return vendor;
  };
  const judge = createJudge(options);
  const telling = createTelling(breakers, (change) => {
    for (const listener of listeners) listener(change);
  });
  const record = createRecord(options, telling);
  return {
    judge: (vendor, account) => judge(vendorNamed(vendor), account),
    enter(name, account) {
      const vendor = vendorNamed(name);
      const verdict = judge(vendor, account);
      if (verdict !== 'go') return { kind: verdict };
      const gate = gateOf(breakers, name, account);
      const isProbe = breakers.stateOf(gate) !== 'closed';
      if (isProbe && !breakers.mayTry(gate)) return { kind: 'wait' };
      return record(vendor, { account, gate, isProbe });
    },
    admission: createAdmission(options),
    unanswered(name) {
      if (breakers.stateOf(name) !== 'closed') return;
      const isLately = isServing(vendorNamed(name).trials, now());
      telling(name, undefined, () => {
        if (isLately) breakers.failed(name);
        else breakers.openNow(name);
      });
    },
    states: () => statesByVendor(breakers, (name) => isServing(vendorNamed(name).trials, now())),
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

/** The breaker that decides about this account: the one for everybody while that is not closed. */
const gateOf = (breakers: SteeredBreakers, vendor: string, account: string): string =>
  breakers.stateOf(vendor) === 'closed' ? accountBreaker(vendor, account) : vendor;

function createJudge({ breakers, now, failuresToOpen }: VendorBreakersOptions) {
  return ({ name, trials }: Vendor, account: string): VendorVerdict => {
    const own = accountBreaker(name, account);
    if ([name, own].some((each) => breakers.stateOf(each) === 'open')) return 'open';
    const gate = gateOf(breakers, name, account);
    if (breakers.stateOf(gate) === 'closed') {
      const moment = { now: now(), failuresToOpen };
      return mayBeUnderWay(trials, account, moment) ? 'go' : 'wait';
    }
    if (breakers.mayProbe(gate)) return 'go';
    // Refuses, and asks for the permit.
    breakers.mayTry(gate);
    return 'wait';
  };
}

/** One submission that was let through. */
interface Entry {
  readonly account: string;
  readonly gate: string;
  readonly isProbe: boolean;
}

type Telling = (vendor: string, account: string | undefined, change: () => void) => void;

/** Does it, and tells which of the two breakers it has opened or closed. */
const createTelling =
  (breakers: SteeredBreakers, tell: (change: VendorChange) => void): Telling =>
  (vendor, account, change) => {
    const names = [vendor, ...(account === undefined ? [] : [accountBreaker(vendor, account)])];
    const before = names.map((each) => breakers.stateOf(each));
    change();
    names.forEach((each, index) => {
      const after = breakers.stateOf(each);
      if (after === before[index] || after === 'half_open') return;
      tell({
        vendor,
        ...(each !== vendor && account !== undefined && { account }),
        to: after,
      });
    });
  };

function createRecord(
  options: VendorBreakersOptions,
  telling: Telling,
): (vendor: Vendor, entry: Entry) => VendorPermit {
  const { breakers, now } = options;
  return (vendor, entry) => {
    let isReported = false;
    let isEnded = false;
    const report = (change: () => void): void => {
      if (isReported) return;
      isReported = true;
      telling(vendor.name, entry.account, change);
    };
    const count = (by: 1 | -1): void => {
      if (!entry.isProbe) countUnderWay(vendor.trials, entry.account, by);
    };
    count(1);
    return {
      kind: 'granted',
      isProbe: entry.isProbe,
      succeeded: () => {
        report(() => {
          noteSuccess(vendor, entry, { breakers, now: now() });
        });
      },
      failed: (failure) => {
        report(() => {
          noteFailure(vendor, entry, { ...options, failure });
        });
      },
      end() {
        if (isEnded) return;
        isEnded = true;
        count(-1);
        if (!isReported && entry.isProbe) breakers.abandoned(entry.gate);
      },
    };
  };
}

function noteSuccess(
  { name, evidence, trials }: Vendor,
  { account, isProbe }: Entry,
  { breakers, now }: { readonly breakers: SteeredBreakers; readonly now: number },
): void {
  noteServed(evidence, account, now);
  trials.failures = 0;
  trials.servedAt = now;
  breakers.succeeded(name);
  const own = accountBreaker(name, account);
  if (breakers.stateOf(own) === 'closed') return;
  if (isProbe) breakers.reset(own);
  else breakers.succeeded(own);
}

function noteFailure(
  { name, evidence, trials }: Vendor,
  { account, gate, isProbe }: Entry,
  {
    breakers,
    now,
    failuresToOpen,
    failure: { of, once },
  }: VendorBreakersOptions & { readonly failure: RouteFailure },
): void {
  trials.failures += 1;
  const own = accountBreaker(name, account);
  // A probe that fails for whatever reason closes nothing.
  if (of === 'everybody' || (isProbe && gate === name)) breakers.failed(name);
  if (isProbe && gate === own) breakers.failed(own);
  if (of === 'everybody') return;
  const against = noteFailed(evidence, account, { once, now: now(), failuresToOpen });
  if (against === 'route') breakers.openNow(name);
  else if (against === 'account' && breakers.stateOf(name) === 'closed') breakers.openNow(own);
}
