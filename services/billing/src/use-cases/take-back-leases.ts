import { reached } from '@gateway/runtime';
import type { TextLeases } from '@gateway/store';

type Abandoned = Awaited<ReturnType<TextLeases['takeBack']>>[number];

export interface TakeBackLeasesPorts {
  /** Closes leases of replicas that are gone, at most `limit`. */
  readonly takeBack: (limit: number) => Promise<readonly Abandoned[]>;
  /** Forgets leases that were closed long ago. */
  readonly purge: () => Promise<void>;
  /** Pays debts from what has become available; returns the quota paid. */
  readonly collectDebts: () => Promise<number>;
  readonly onTakenBack: (leases: readonly Abandoned[]) => void;
  readonly onCollected: (quota: number) => void;
}

const leasesAtOnce = 500;

/**
 * What replicas left that are gone, and what accounts owe and can pay by now. Run after their
 * usage was taken: it is charged to their leases. Safe when two run.
 */
export function createTakeBackLeases({
  takeBack,
  purge,
  collectDebts,
  onTakenBack,
  onCollected,
}: TakeBackLeasesPorts): () => Promise<void> {
  return async () => {
    for (let taken = await takeBack(leasesAtOnce); taken.length > 0;) {
      reached('lease.taken-back');
      onTakenBack(taken);
      taken = await takeBack(leasesAtOnce);
    }
    const paid = await collectDebts();
    if (paid > 0) onCollected(paid);
    await purge();
  };
}
