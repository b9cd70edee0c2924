import { mostLeasesAtOnce, type LeaseAskBody } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import type { Log } from '@gateway/runtime';
import type { OpenLease, TextLeases } from '@gateway/store';

export interface ForgottenLeasesOptions {
  readonly replicaId: string;
  readonly findOpen: TextLeases['findOpen'];
  readonly isKnown: (lease: OpenLease) => boolean;
  /** Asks billing; rejects when it cannot be reached. */
  readonly ask: (asks: readonly LeaseAskBody[]) => Promise<unknown>;
  readonly log: Pick<Log, 'warn'>;
}

const everyMs = 60_000;

/**
 * Leases that the books have open for this replica and that it does not have. A standby that took
 * over without the last commits has some that were closed; while their replica lives nobody takes
 * them for abandoned, and their quota would stay set aside. So the replica goes through its open
 * leases once a minute, a page at a time, and closes those.
 */
export class ForgottenLeases {
  readonly #options: ForgottenLeasesOptions;
  #nextMs: number;
  /** The id that the next page begins behind. */
  #after = '';
  #isBusy = false;

  constructor(nowMs: number, options: ForgottenLeasesOptions) {
    this.#options = options;
    this.#nextMs = nowMs + everyMs;
  }

  /** Called once a second; returns at once. */
  check(nowMs: number): void {
    if (this.#isBusy || nowMs < this.#nextMs) return;
    this.#isBusy = true;
    void this.#closeSome()
      .then((isLast) => {
        if (isLast) this.#nextMs = nowMs + everyMs;
      })
      .catch((error: unknown) => {
        this.#nextMs = nowMs + everyMs;
        this.#after = '';
        this.#options.log.warn('open leases for text could not be compared, will be retried', {
          reason: describeError(error),
        });
      })
      .finally(() => {
        this.#isBusy = false;
      });
  }

  /** Resolves with whether all open leases have been seen. */
  async #closeSome(): Promise<boolean> {
    const { replicaId, findOpen, isKnown, ask, log } = this.#options;
    const page = await findOpen(replicaId, { after: this.#after, limit: mostLeasesAtOnce });
    const isLast = page.length < mostLeasesAtOnce;
    // Billing takes one of each account at a time; another is there the next time.
    const forgotten = new Map(
      page.filter((lease) => !isKnown(lease)).map((lease) => [lease.accountId, lease]),
    );
    if (forgotten.size > 0) {
      await ask([...forgotten.values()].map(askToClose));
      log.warn('leases for text closed that only the database knew of', { leases: forgotten.size });
    }
    this.#after = isLast ? '' : (page.at(-1)?.leaseId ?? '');
    return isLast;
  }
}

/** Nothing that it has spent is waited for: whatever of that was lost does not come any more. */
const askToClose = ({ accountId, leaseId, sequence }: OpenLease): LeaseAskBody => ({
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
