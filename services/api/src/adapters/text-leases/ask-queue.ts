import { mostLeasesAtOnce, type LeaseAskBody } from '@gateway/contracts';
import type { AccountLease } from './account-lease.ts';

type Mode = LeaseAskBody['mode'];

export interface AskQueueOptions {
  readonly nowMs: () => number;
  /** Makes one call about these; never rejects. */
  readonly call: (asked: readonly (readonly [AccountLease, Mode])[]) => Promise<void>;
}

/** What comes meanwhile goes together afterwards: one statement for many leases costs less. */
const quickCallsAtOnce = 2;
/** A call that is out for longer may wait for an account that somebody else has locked. */
const quickMs = 50;
const callsAtOnce = 8;

/**
 * Which leases are to be asked for, and when. Asks of one turn of the event loop go together, as do
 * those that come while calls are out; a slow call does not keep the others waiting.
 */
export class AskQueue {
  readonly #options: AskQueueOptions;
  /** One ask of a lease at a time: who puts it here knows that none is under way. */
  readonly #waiting = new Map<AccountLease, Mode>();
  /** When those that are out were sent. */
  readonly #out = new Set<{ readonly sentMs: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AskQueueOptions) {
    this.#options = options;
  }

  get isQuiet(): boolean {
    return this.#out.size === 0 && this.#waiting.size === 0;
  }

  add(lease: AccountLease, mode: Mode): void {
    const isFirst = this.#waiting.size === 0;
    this.#waiting.set(lease, mode);
    if (isFirst) {
      setImmediate(() => {
        this.#sendAll();
      });
    }
  }

  /** Makes a call at once, whatever else is out. */
  async send(asked: readonly (readonly [AccountLease, Mode])[]): Promise<void> {
    const { call, nowMs } = this.#options;
    const out = { sentMs: nowMs() };
    this.#out.add(out);
    await call(asked);
    this.#out.delete(out);
    this.#sendAll();
  }

  #sendAll(): void {
    while (this.#waiting.size > 0 && this.#maySend()) void this.send(this.#takeSome());
    if (this.#waiting.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sendAll();
    }, quickMs);
  }

  #maySend(): boolean {
    if (this.#out.size >= callsAtOnce) return false;
    const slowBeforeMs = this.#options.nowMs() - quickMs;
    let quick = 0;
    for (const { sentMs } of this.#out) if (sentMs > slowBeforeMs) quick += 1;
    return quick < quickCallsAtOnce;
  }

  #takeSome(): (readonly [AccountLease, Mode])[] {
    const some: (readonly [AccountLease, Mode])[] = [];
    for (const each of this.#waiting) {
      if (some.length === mostLeasesAtOnce) break;
      this.#waiting.delete(each[0]);
      some.push(each);
    }
    return some;
  }
}
