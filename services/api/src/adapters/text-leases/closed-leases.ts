import { mostLeasesAtOnce, type LeaseAskBody } from '@gateway/contracts';

/** A lease that its replica has left behind. */
export interface ClosedLease {
  readonly accountId: string;
  readonly leaseId: string;
  /** Of its last ask. */
  readonly sequence: number;
}

interface Noted extends ClosedLease {
  readonly dueMs: number;
}

/** Longer than an asynchronous standby is behind, and than a fail-over takes. */
const againAfterMs = 60_000;

/**
 * Leases that are over. A standby that takes over without the last commits may have one open again, and no
 * replica would name it any more while the one that it belongs to lives: so each is closed once more, a
 * while later. For one that is closed, or unknown, that changes nothing.
 */
export class ClosedLeases {
  #noted: Noted[] = [];

  note(lease: ClosedLease, nowMs: number): void {
    this.#noted.push({ ...lease, dueMs: nowMs + againAfterMs });
  }

  /** Those whose time has come, at most one of each account; they are forgotten here. */
  takeDue(nowMs: number): readonly ClosedLease[] {
    const [oldest] = this.#noted;
    if (oldest === undefined || oldest.dueMs > nowMs) return [];
    const due = new Map<string, Noted>();
    const later = this.#noted.filter((lease) => {
      const isTaken =
        lease.dueMs <= nowMs && due.size < mostLeasesAtOnce && !due.has(lease.accountId);
      if (isTaken) due.set(lease.accountId, lease);
      return !isTaken;
    });
    this.#noted = later;
    return [...due.values()];
  }

  /** For the next time: billing could not be asked. */
  putBack(leases: readonly ClosedLease[], nowMs: number): void {
    this.#noted.unshift(...leases.map((lease) => ({ ...lease, dueMs: nowMs })));
  }
}

/** Nothing that it has spent is waited for: whatever of that was lost does not come any more. */
export const askToClose = ({ accountId, leaseId, sequence }: ClosedLease): LeaseAskBody => ({
  account_id: accountId,
  lease_id: leaseId,
  sequence: sequence + 1,
  spent_nano: 0,
  reserved_nano: 0,
  needed_nano: 0,
  least_nano: 0,
  spare_nano: 0,
  mode: 'close',
});
