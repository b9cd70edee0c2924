/**
 * How well one replica knows a vendor just now: what it has submitted and how that ended. No I/O and
 * no clock in here.
 */
export interface VendorTrials {
  /** Submissions under way by account, without probes. */
  readonly underWay: Map<string, number>;
  /** Submissions that failed since the vendor last served one. */
  failures: number;
  /** When it last served one, in ms. */
  servedAt: number;
}

/** For how long a submission that was served speaks for the vendor. */
const provenMs = 30_000;

export const createVendorTrials = (): VendorTrials => ({
  underWay: new Map(),
  failures: 0,
  servedAt: -Infinity,
});

/** It has served a submission of late. */
export const isServing = ({ servedAt }: VendorTrials, now: number): boolean =>
  now - servedAt < provenMs;

interface Moment {
  readonly now: number;
  readonly failuresToOpen: number;
}

/**
 * How many submissions may be under way while the breaker is closed. A vendor that has just served
 * one gets as many as there are. One that nobody has heard of lately, or that begins to fail, gets
 * no more than it takes to open the breaker: so a vendor that is gone costs a few submissions, not
 * all that wait.
 */
export function mostUnderWay(trials: VendorTrials, { now, failuresToOpen }: Moment): number {
  if (trials.failures === 0 && isServing(trials, now)) return Infinity;
  return Math.max(1, failuresToOpen - trials.failures);
}

/** Whether one more may be: no account takes more than half, and what its requests do to a vendor holds nobody else up. */
export function mayBeUnderWay(trials: VendorTrials, account: string, moment: Moment): boolean {
  const most = mostUnderWay(trials, moment);
  const own = trials.underWay.get(account) ?? 0;
  let all = 0;
  for (const count of trials.underWay.values()) all += count;
  return all < most && own < Math.ceil(most / 2);
}

/** Adds to what is under way for an account; `by` is 1 or -1. */
export function countUnderWay({ underWay }: VendorTrials, account: string, by: 1 | -1): void {
  const count = (underWay.get(account) ?? 0) + by;
  if (count > 0) underWay.set(account, count);
  else underWay.delete(account);
}
