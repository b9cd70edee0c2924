import type { LeaseResponse, LeaseRequest } from '@gateway/contracts';
import { reached } from '@gateway/runtime';
import type { TextLeases } from '@gateway/store';

export interface SettleLeasesPorts extends Pick<TextLeases, 'renew' | 'settle' | 'debtors'> {
  readonly onSettled: (counts: { readonly granted: number; readonly refused: number }) => void;
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
}: SettleLeasesPorts): (request: LeaseRequest) => Promise<LeaseResponse> {
  return async ({ replica, leases }) => {
    reached('lease.asked');
    // First: a lease that is granted to a replica nobody has heard of could be taken back at once.
    await renew(replica);
    const states = await settle(
      replica,
      leases.map((ask) => ({
        accountId: ask.account_id,
        leaseId: ask.lease_id,
        sequence: ask.sequence,
        spentNano: ask.spent_nano,
        reservedNano: ask.reserved_nano,
        neededNano: ask.needed_nano,
        leastNano: ask.least_nano,
        spareNano: ask.spare_nano,
        mode: ask.mode,
      })),
    );
    reached('lease.settled');
    const granted = states.filter(({ state }) => state === 'open').length;
    onSettled({ granted, refused: states.filter(({ state }) => state === 'none').length });
    return {
      leases: states.map((state) => ({
        account_id: state.accountId,
        lease_id: state.leaseId,
        state: state.state,
        purse_nano: state.purseNano,
        applied_nano: state.appliedNano,
        available_quota: state.availableQuota,
        debt_quota: state.debtQuota,
      })),
      debtors: await debtors(replica),
    };
  };
}
