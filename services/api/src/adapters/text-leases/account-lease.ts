import type { LeaseAskBody, LeaseStateBody } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import type { Reservation } from '../../text/index.ts';

/** A request that waits for quota. */
export interface WaitingRequest {
  readonly nano: number;
  /** The ask that it was part of; undefined until there was one. */
  sequence: number | undefined;
  readonly resolve: (reservation: Reservation) => void;
  readonly reject: (error: unknown) => void;
}

export interface Spending {
  /** Seconds of its spending that an account should have at hand. */
  readonly leaseSeconds: number;
  readonly idleMs: number;
  /** So many accounts have a lease that none stays longer than `idleMs`. */
  readonly isCrowded?: boolean;
}

/** How long a lease stays that holds next to nothing of what its account could spend. */
const smallStaysTimes = 30;
/** As a part of what the account could spend. */
const smallPart = 100;

const nanoPerQuota = 1e9;
/** An account that is idle for so much longer has lost usage: its lease is given back all the same. */
const lostAfterMs = 60_000;
/** How many of its largest requests an account should have at hand. */
const requestsAtHand = 2;

/**
 * The quota that this replica holds for one account: what billing said it holds, less what was
 * spent and billing has not taken by then, less what running requests have reserved. All figures
 * are sums since the lease began, so it does not matter which of two messages is older: each ask
 * and each state stands for itself.
 */
export class AccountLease {
  readonly accountId: string;
  readonly waiting: WaitingRequest[] = [];
  leaseId = newId('lease');
  /** While an ask is under way. */
  asking = false;
  /** The account owes for earlier text. */
  inDebt = false;
  /** Of the time in which what is known here holds: a replica that was silent knows nothing. */
  generation = -1;
  availableQuota = 0;
  debtQuota = 0;
  /** Below this, more is asked for while requests still find enough. */
  lowNano = 0;
  #sequence = 0;
  #mode: LeaseAskBody['mode'] = 'keep';
  #wasOpen = false;
  #purseNano = 0;
  #appliedNano = 0;
  #spentNano = 0;
  #reservedNano = 0;
  #spareNano = 0;
  #largestNano = 0;
  #rateNano = 0;
  #spentAtTick = 0;
  #usedMs: number;
  /** Nothing changes before this by the clock alone, in ms. */
  #restsUntilMs = -Infinity;

  constructor(accountId: string, nowMs: number) {
    this.accountId = accountId;
    this.#usedMs = nowMs;
  }

  get freeNano(): number {
    const unapplied = this.#spentNano - this.#appliedNano;
    return this.#purseNano - (unapplied > 0 ? unapplied : 0) - this.#reservedNano;
  }

  get isEmpty(): boolean {
    return this.#reservedNano === 0 && this.waiting.length === 0;
  }

  reserve(nano: number, nowMs: number): Reservation {
    this.#reservedNano += nano;
    this.#usedMs = nowMs;
    this.#restsUntilMs = -Infinity;
    if (nano > this.#largestNano) this.#largestNano = nano;
    return new LeaseReservation(this, nano);
  }

  settle(reservedNano: number, costNano: number): void {
    this.#restsUntilMs = -Infinity;
    this.#reservedNano = Math.max(0, this.#reservedNano - reservedNano);
    this.#spentNano += costNano;
  }

  /**
   * Notes what was spent since the last second, and what should be at hand. A lease whose requests
   * run is in use, and is until the last of them has ended, however long ago it was reserved.
   */
  tick(seconds: number, nowMs: number, { leaseSeconds }: Spending): void {
    const spent = Math.max(0, this.#spentNano - this.#spentAtTick);
    if (spent > 0 || !this.isEmpty) this.#usedMs = nowMs;
    this.#spentAtTick = this.#spentNano;
    this.#rateNano = this.#rateNano * 0.7 + (spent / seconds) * 0.3;
    this.#spareNano = Math.max(this.#rateNano * leaseSeconds, this.#largestNano * requestsAtHand);
    this.#largestNano *= 0.98;
    this.#setLow();
  }

  /** Whether neither `tick` nor `due` would find anything: most leases are those of idle accounts. */
  rests(nowMs: number): boolean {
    return nowMs < this.#restsUntilMs;
  }

  /** What is due without a request that waits for it; undefined when nothing is. */
  due(nowMs: number, spending: Spending): LeaseAskBody['mode'] | undefined {
    if (this.asking) return undefined;
    if (this.isEmpty && nowMs - this.#usedMs > this.#staysMs(spending)) return 'close';
    const free = this.freeNano;
    if (free > 2 * this.#sparedNano() + 2 * nanoPerQuota) return 'give_back';
    if (free < this.lowNano) return 'keep';
    const isStill = this.#rateNano * spending.leaseSeconds <= this.#largestNano;
    if (this.isEmpty && isStill) this.#restsUntilMs = nowMs + spending.idleMs / 2;
    return undefined;
  }

  /**
   * How long it stays without requests; one that has begun to close goes on. One that keeps next to nothing from whatever else the account
   * may want spares an account that asks seldom a call of billing with each request.
   */
  #staysMs({ idleMs, isCrowded = false }: Spending): number {
    if (this.#mode === 'close') return idleMs;
    const isSmall = this.#purseNano * smallPart <= this.availableQuota * nanoPerQuota;
    return isSmall && this.#wasOpen && !isCrowded ? idleMs * smallStaysTimes : idleMs;
  }

  /** The next ask. One that may give quota back leaves nothing to reserve until it is answered. */
  ask(mode: LeaseAskBody['mode'], nowMs: number, spending: Spending): LeaseAskBody {
    this.asking = true;
    this.#restsUntilMs = -Infinity;
    this.#mode = this.waiting.length > 0 ? 'keep' : mode;
    this.#sequence += 1;
    const { needed, least } = this.#noteWaiting(nowMs);
    this.#spareNano = Math.max(this.#spareNano, this.#largestNano * requestsAtHand);
    const isLost = mode === 'close' && nowMs - this.#usedMs > spending.idleMs + lostAfterMs;
    if (isLost) this.#spentNano = this.#appliedNano;
    if (this.#mode !== 'keep') this.#purseNano -= Math.max(0, this.freeNano);
    return {
      account_id: this.accountId,
      lease_id: this.leaseId,
      sequence: this.#sequence,
      spent_nano: this.#spentNano,
      reserved_nano: this.#reservedNano,
      needed_nano: needed,
      least_nano: least,
      spare_nano: this.#mode === 'close' ? 0 : this.#spareNano,
      mode: this.#mode,
    };
  }

  /** What those who wait need, all of them and the smallest; they are part of this ask. */
  #noteWaiting(nowMs: number): { needed: number; least: number } {
    if (this.waiting.length === 0) return { needed: 0, least: 0 };
    this.#usedMs = nowMs;
    let needed = 0;
    let least = Infinity;
    for (const request of this.waiting) {
      request.sequence = this.#sequence;
      needed += request.nano;
      least = Math.min(least, request.nano);
      this.#largestNano = Math.max(this.#largestNano, request.nano);
    }
    return { needed, least };
  }

  /** What the books say. True: the lease is over, and this account can be forgotten. */
  take(state: LeaseStateBody, generation: number): boolean {
    this.asking = false;
    this.generation = generation;
    this.availableQuota = state.available_quota;
    this.debtQuota = state.debt_quota;
    this.inDebt = state.debt_quota > 0;
    if (state.state === 'open') {
      this.#wasOpen = true;
      this.#purseNano = state.purse_nano;
      this.#appliedNano = state.applied_nano;
    } else if (state.state === 'closed' || this.#wasOpen || this.#spentNano > 0) {
      // A lease may be closed that this replica never knew as open: its first response was lost.
      this.#beginAnew();
    }
    this.#setLow();
    return this.#mode === 'close' && state.state !== 'open' && this.isEmpty;
  }

  /**
   * The lease was closed, or taken back: another begins with what runs, and whoever waits is asked
   * for again.
   */
  #beginAnew(): void {
    this.leaseId = newId('lease');
    this.#sequence = 0;
    this.#wasOpen = false;
    this.#purseNano = 0;
    this.#appliedNano = 0;
    this.#spentNano = 0;
    this.#spentAtTick = 0;
    for (const request of this.waiting) request.sequence = undefined;
  }

  /** As billing bounds it: a tenth of what the account could spend. */
  #sparedNano(): number {
    const able = this.availableQuota * nanoPerQuota + Math.max(0, this.freeNano);
    return Math.min(this.#spareNano, able / 10);
  }

  #setLow(): void {
    this.lowNano = this.#sparedNano() / 2;
  }
}

/** A class: one is made for each request. */
class LeaseReservation implements Reservation {
  readonly #lease: AccountLease;
  readonly #nano: number;

  constructor(lease: AccountLease, nano: number) {
    this.#lease = lease;
    this.#nano = nano;
  }

  get leaseId(): string {
    return this.#lease.leaseId;
  }

  settle(costNano: number): void {
    this.#lease.settle(this.#nano, costNano);
  }
}
