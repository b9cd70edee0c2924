import { GatewayError } from '@gateway/domain';
import type { Slot, Slots } from '@gateway/limits';
import { runAs } from '@gateway/runtime';
import type { TextRequest } from '../request/index.ts';
import { AccountTurns, type Waiter } from './account-turns.ts';
import type { Refusal, TurnMetrics } from './metrics.ts';

/** What a wait came to. `abandoned`: the client left, or the process stops. */
export type WaitOutcome =
  | { readonly kind: 'slot'; readonly slot: Slot }
  | { readonly kind: 'refused'; readonly error: GatewayError }
  | { readonly kind: 'abandoned'; readonly reason: string };

/** Its `abandon` ends the wait. */
export type Abandonable = Pick<TextRequest, 'abandon'>;

export interface LinePorts {
  readonly slots: Slots;
  readonly observed: TurnMetrics;
  readonly queueMs: number;
}

interface Waiting extends Waiter {
  readonly sinceMs: number;
  readonly end: (outcome: WaitOutcome) => void;
}

/** Of one provider, in this replica. */
const mostWaiting = 1_000;
const mostWaitingOfAccount = 50;
/** How often slots are asked for that ended in other replicas, and waits are ended. */
const tickMs = 200;
/** How long a slot given back for another replica is left for it: it asks within a tick. */
const leftForOthersMs = 300;

/**
 * Those who wait for slots of one provider. A slot that ends goes back to what all replicas share
 * and is asked for again, so that the limit holds whatever changes meanwhile; while another replica
 * wants slots too, every second one is left for it.
 */
export class ProviderLine {
  limit = 0;
  readonly #provider: string;
  /** Of the slots that replicas share. */
  readonly #subject: string;
  readonly #ports: LinePorts;
  readonly #turns = new AccountTurns<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;
  /** How many slots are to be asked for. */
  #toAsk = 0;
  /** The last slot that ended here was left for another replica. */
  #leftOne = false;
  #leaveUntilMs = 0;

  constructor(provider: string, ports: LinePorts) {
    this.#provider = provider;
    this.#subject = `provider:${provider}`;
    this.#ports = ports;
  }

  get waiting(): number {
    return this.#turns.waiting;
  }

  /** Nothing is made for a request while slots are free; none passes those who wait. */
  take(account: string): Slot | undefined | Promise<Slot | undefined> {
    if (this.#turns.waiting > 0) return undefined;
    const slot = this.#ports.slots.acquire(this.#subject, this.limit);
    if (slot instanceof Promise) return slot.then((late) => this.#noteHeld(account, late));
    return this.#noteHeld(account, slot);
  }

  wait(request: Abandonable, account: string): Promise<WaitOutcome> {
    const { observed, queueMs } = this.#ports;
    const refusal = this.#refusalOf(account);
    if (refusal !== undefined) {
      observed.refused(this.#provider, refusal);
      return Promise.resolve(refusedFor(refusal, queueMs));
    }
    return new Promise((end) => {
      const sinceMs = performance.now();
      const waiting = { account, sinceMs, dueMs: sinceMs + queueMs, end };
      request.abandon = (reason) => {
        if (!this.#turns.remove(waiting)) return;
        observed.ended(this.#provider, 'abandoned', performance.now() - sinceMs);
        end({ kind: 'abandoned', reason });
      };
      this.#enqueue(waiting);
    });
  }

  release(account: string, slot: Slot): void {
    slot.release();
    this.#turns.released(account);
    if (this.#turns.waiting === 0) return;
    this.#leftOne = !this.#leftOne && this.#ports.slots.isWanted(this.#subject);
    if (this.#leftOne) this.#leaveUntilMs = performance.now() + leftForOthersMs;
    else this.#ask(this.#toAsk + 1);
  }

  #noteHeld(account: string, slot: Slot | undefined): Slot | undefined {
    if (slot !== undefined) this.#turns.held(account);
    return slot;
  }

  #refusalOf(account: string): Refusal | undefined {
    if (this.#ports.queueMs === 0) return 'time';
    if (this.#turns.waitingOf(account) >= mostWaitingOfAccount) return 'account';
    return this.#turns.waiting >= mostWaiting ? 'queue' : undefined;
  }

  #enqueue(waiting: Waiting): void {
    this.#turns.add(waiting);
    this.#timer ??= setInterval(() => {
      runAs(undefined, () => {
        this.#tick(performance.now());
      });
    }, tickMs).unref();
    // One may have become free since it was refused.
    this.#ask(Math.max(1, this.#toAsk));
  }

  #tick(now: number): void {
    const { observed, queueMs } = this.#ports;
    for (const { sinceMs, end } of this.#turns.expire(now)) {
      observed.ended(this.#provider, 'time', now - sinceMs);
      observed.refused(this.#provider, 'time');
      end(refusedFor('time', queueMs));
    }
    if (this.#turns.waiting === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (now >= this.#leaveUntilMs) this.#ask(this.#turns.waiting);
  }

  #ask(count: number): void {
    this.#toAsk = count;
    if (!this.#isAsking) void this.#askAll();
  }

  /** Asks for slots one after another, until there is none or nobody waits. */
  async #askAll(): Promise<void> {
    const { slots, observed } = this.#ports;
    this.#isAsking = true;
    while (this.#toAsk > 0 && this.#turns.waiting > 0) {
      this.#toAsk -= 1;
      const slot = await slots.acquire(this.#subject, this.limit);
      const waiting = slot && this.#turns.next(this.limit);
      if (slot === undefined) this.#toAsk = 0;
      else if (waiting === undefined) slot.release();
      else {
        this.#turns.held(waiting.account);
        observed.ended(this.#provider, 'slot', performance.now() - waiting.sinceMs);
        waiting.end({ kind: 'slot', slot });
      }
    }
    this.#isAsking = false;
  }
}

const refusedFor = (reason: Refusal, queueMs: number): WaitOutcome => ({
  kind: 'refused',
  error: new GatewayError('upstream_unavailable', messages[reason](queueMs), {
    retryAfterMs: 5_000,
  }),
});

/** They name what was exceeded. */
const messages: Readonly<Record<Refusal, (queueMs: number) => string>> = {
  time: (queueMs) =>
    `the upstream has as many requests as it takes at once (max_concurrent), and none of its slots became free within ${queueMs / 1000} s; try again`,
  account: () =>
    `${mostWaitingOfAccount} requests of this account already wait for a slot at the upstream (max_concurrent); wait for one of them to end`,
  queue: () =>
    `${mostWaiting} requests already wait for a slot at the upstream (max_concurrent); try again`,
};
