import type { LeaseResponse, LeaseRequest } from '@gateway/contracts';
import { reached } from '@gateway/runtime';
import type { LeaseState, TextLeases } from '@gateway/store';

export interface SettleLeasesPorts extends Pick<TextLeases, 'renew' | 'settle' | 'debtors'> {
  readonly onSettled: (counts: { readonly granted: number; readonly refused: number }) => void;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

/**
 * How long a replica is taken to live, and its debtors for known, before the database is asked
 * again: a replica with many accounts asks many times a second. Well below the least
 * USAGE_LEASE_SECONDS, and below the seconds after which one that has nothing to ask is heard of.
 */
const freshForMs = 1_000;

/** What is known of a replica since it was last renewed. */
interface KnownReplica {
  readonly renewedAtMs: number;
  /** Its accounts in debt. */
  readonly debtors: Set<string>;
}

/**
 * Brings a replica's leases to what it asks, and notes that it lives. Idempotent by sequence: an
 * ask that comes twice, or after a newer one, is only told what is.
 */
export function createSettleLeases({
  renew,
  settle,
  debtors,
  onSettled,
  nowMs = () => performance.now(),
}: SettleLeasesPorts): (request: LeaseRequest) => Promise<LeaseResponse> {
  const known = new Map<string, KnownReplica>();
  const isFresh = ({ renewedAtMs }: KnownReplica): boolean => nowMs() - renewedAtMs < freshForMs;
  const readDebtors = async (replica: string, renewedAtMs: number): Promise<KnownReplica> => {
    const read = { renewedAtMs, debtors: new Set(await debtors(replica)) };
    for (const [name, other] of known) if (!isFresh(other)) known.delete(name);
    known.set(replica, read);
    return read;
  };
  return async ({ replica, leases }) => {
    reached('lease.asked');
    const askedAtMs = nowMs();
    const found = known.get(replica);
    const fresh = found !== undefined && isFresh(found) ? found : undefined;
    // First: a lease that is granted to a replica nobody has heard of could be taken back at once.
    if (fresh === undefined) await renew(replica);
    const states = await settle(replica, leases.map(askOf));
    reached('lease.settled');
    const granted = states.filter(({ state }) => state === 'open').length;
    onSettled({ granted, refused: states.filter(({ state }) => state === 'none').length });
    const { debtors: inDebt } = fresh ?? (await readDebtors(replica, askedAtMs));
    if (fresh !== undefined) noteDebts(inDebt, states);
    return { leases: states.map(bodyOf), debtors: [...inDebt] };
  };
}

/** The states are newer: an account that has paid in the meantime is served at once. */
function noteDebts(inDebt: Set<string>, states: readonly LeaseState[]): void {
  for (const { accountId, debtQuota } of states) {
    if (debtQuota > 0) inDebt.add(accountId);
    else inDebt.delete(accountId);
  }
}

type Ask = Parameters<TextLeases['settle']>[1][number];

const askOf = (ask: LeaseRequest['leases'][number]): Ask => ({
  accountId: ask.account_id,
  leaseId: ask.lease_id,
  sequence: ask.sequence,
  spentNano: ask.spent_nano,
  reservedNano: ask.reserved_nano,
  neededNano: ask.needed_nano,
  leastNano: ask.least_nano,
  spareNano: ask.spare_nano,
  mode: ask.mode,
});

const bodyOf = (state: LeaseState): LeaseResponse['leases'][number] => ({
  account_id: state.accountId,
  lease_id: state.leaseId,
  state: state.state,
  purse_nano: state.purseNano,
  applied_nano: state.appliedNano,
  available_quota: state.availableQuota,
  debt_quota: state.debtQuota,
});
