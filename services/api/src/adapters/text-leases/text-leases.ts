import {
  mostLeasesAtOnce,
  type LeaseResponse,
  type LeaseAskBody,
  type LeaseRequest,
} from '@gateway/contracts';
import { GatewayError, describeError } from '@gateway/domain';
import { Gauge, type Log, type Part, type Registry } from '@gateway/runtime';
import type { Reservation } from '../../text/index.ts';
import { AccountLease, type Spending, type WaitingRequest } from './account-lease.ts';
import { AskQueue } from './ask-queue.ts';
import { ForgottenLeases, type ForgottenLeasesOptions } from './forgotten-leases.ts';

export interface TextLeasesOptions extends Omit<Spending, 'isCrowded'> {
  readonly replicaId: string;
  /** Asks billing; rejects when it cannot be reached. */
  readonly ask: (request: LeaseRequest) => Promise<LeaseResponse>;
  readonly findOpen: ForgottenLeasesOptions['findOpen'];
  readonly log: Pick<Log, 'warn'>;
  readonly metrics?: Registry;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

export interface TextLeases {
  /**
   * Sets quota aside for one request, at once when this replica holds enough. Throws, or rejects
   * with, insufficient_quota, and billing_unavailable when more is needed and nobody can be asked.
   */
  reserve(accountId: string, nano: number): Reservation | Promise<Reservation>;
  /** Called once a second by the part. */
  tick(): void;
  readonly part: Part;
}

const tickMs = 1_000;
/** How often billing hears from a replica that holds something. */
const renewMs = 3_000;
/**
 * How long what billing said holds without it. Well below the least USAGE_LEASE_SECONDS, after
 * which billing may take leases back.
 */
const validMs = 10_000;
/** Beyond so many leases, those of idle accounts are given back sooner. */
const mostAtRest = 50_000;
const stopWithinMs = 2_000;

/** The quota that this replica holds for text, by account, kept up in the background. */
export function createTextLeases(options: TextLeasesOptions): TextLeases {
  const books = new LeaseBooks(options);
  let timer: NodeJS.Timeout | undefined;
  if (options.metrics !== undefined) leaseGauge(books, options.metrics);
  return {
    reserve: (accountId, nano) => books.reserve(accountId, nano),
    tick: () => {
      books.tick();
    },
    part: {
      name: 'text leases',
      start() {
        timer = setInterval(() => {
          books.tick();
        }, tickMs);
        return Promise.resolve();
      },
      async stop() {
        clearInterval(timer);
        await books.giveBack();
      },
    },
  };
}

class LeaseBooks {
  readonly #options: TextLeasesOptions;
  readonly #nowMs: () => number;
  readonly #leases = new Map<string, AccountLease>();
  readonly #queue: AskQueue;
  readonly #forgotten: ForgottenLeases;
  #debtors: readonly string[] = [];
  #failures = 0;
  #generation = 0;
  #heardMs = -Infinity;
  #tickedMs: number;

  constructor(options: TextLeasesOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#tickedMs = this.#nowMs();
    this.#queue = new AskQueue({ nowMs: this.#nowMs, call: (asked) => this.#call(asked) });
    const { replicaId, findOpen, ask, log } = options;
    this.#forgotten = new ForgottenLeases(this.#nowMs(), {
      replicaId,
      findOpen,
      isKnown: ({ accountId, leaseId }) => this.#leases.get(accountId)?.leaseId === leaseId,
      ask: (asks) => ask({ replica: replicaId, leases: [...asks] }),
      log,
    });
  }

  get size(): number {
    return this.#leases.size;
  }

  reserve(accountId: string, nano: number): Reservation | Promise<Reservation> {
    const nowMs = this.#nowMs();
    let lease = this.#leases.get(accountId);
    if (lease === undefined) {
      lease = new AccountLease(accountId, nowMs);
      this.#leases.set(accountId, lease);
    }
    if (this.#holds(lease, nowMs) && lease.waiting.length === 0 && lease.freeNano >= nano) {
      const reservation = lease.reserve(nano, nowMs);
      if (lease.freeNano < lease.lowNano) this.#want(lease, 'keep');
      return reservation;
    }
    return this.#wait(lease, nano);
  }

  tick(): void {
    const nowMs = this.#nowMs();
    const seconds = Math.max(0.001, (nowMs - this.#tickedMs) / 1_000);
    this.#tickedMs = nowMs;
    const spending = this.#spending();
    for (const lease of this.#leases.values()) {
      if (lease.rests(nowMs)) continue;
      lease.tick(seconds, nowMs, spending);
      const mode = lease.due(nowMs, spending);
      if (mode !== undefined) this.#want(lease, mode);
    }
    this.#forgotten.check(nowMs);
    const isDue = this.#leases.size > 0 && nowMs - this.#heardMs > renewMs;
    if (isDue && this.#queue.isQuiet) void this.#queue.send([]);
  }

  /** Everything that is not reserved; what is still running is taken back by billing. */
  async giveBack(): Promise<void> {
    const open = [...this.#leases.values()].filter(({ asking }) => !asking);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, stopWithinMs);
    });
    for (let begin = 0; begin < open.length; begin += mostLeasesAtOnce) {
      const some = open.slice(begin, begin + mostLeasesAtOnce);
      await Promise.race([this.#queue.send(some.map((lease) => [lease, 'close'])), late]);
    }
    clearTimeout(timer);
  }

  #holds(lease: AccountLease, nowMs: number): boolean {
    return (
      lease.generation === this.#generation && !lease.inDebt && nowMs - this.#heardMs < validMs
    );
  }

  #wait(lease: AccountLease, nano: number): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      lease.waiting.push({ nano, sequence: undefined, resolve, reject });
      this.#want(lease, 'keep');
    });
  }

  #want(lease: AccountLease, mode: LeaseAskBody['mode']): void {
    if (!lease.asking) this.#queue.add(lease, mode);
  }

  #spending(): Spending {
    const { leaseSeconds, idleMs } = this.#options;
    return { leaseSeconds, idleMs, isCrowded: this.#leases.size > mostAtRest };
  }

  /** Never rejects. */
  async #call(asked: readonly (readonly [AccountLease, LeaseAskBody['mode']])[]): Promise<void> {
    const { ask, replicaId, log } = this.#options;
    const startedMs = this.#nowMs();
    const spending = this.#spending();
    const leases = asked.map(([lease]) => lease);
    const asks = asked.map(([lease, mode]) => lease.ask(mode, startedMs, spending));
    try {
      const response = await ask({ replica: replicaId, leases: asks });
      this.#failures = 0;
      this.#take(response, { leases, startedMs });
    } catch (error) {
      this.#failures += 1;
      if (this.#failures === 1) {
        log.warn('leases for text could not be kept up, will be retried', {
          accounts: leases.length,
          reason: describeError(error),
        });
      }
      for (const lease of leases) refuseAll(lease, error);
    }
  }

  #take(
    response: LeaseResponse,
    { leases, startedMs }: { leases: readonly AccountLease[]; startedMs: number },
  ): void {
    // What is known of the others may have been taken back meanwhile.
    if (startedMs - this.#heardMs >= validMs) this.#generation += 1;
    this.#heardMs = Math.max(this.#heardMs, startedMs);
    const states = new Map(response.leases.map((state) => [state.lease_id, state]));
    for (const lease of leases) {
      const state = states.get(lease.leaseId);
      if (state === undefined) refuseAll(lease, new Error('billing returned nothing for a lease'));
      else if (lease.take(state, this.#generation)) this.#leases.delete(lease.accountId);
      this.#serve(lease);
    }
    this.#noteDebtors(response.debtors);
  }

  #noteDebtors(debtors: readonly string[]): void {
    for (const accountId of this.#debtors) {
      const lease = this.#leases.get(accountId);
      if (lease !== undefined) lease.inDebt = false;
    }
    for (const accountId of debtors) {
      const lease = this.#leases.get(accountId);
      if (lease !== undefined) lease.inDebt = true;
    }
    this.#debtors = debtors;
  }

  /** In turn; a large request does not keep a smaller one behind it from what there is. */
  #serve(lease: AccountLease): void {
    const nowMs = this.#nowMs();
    const later: WaitingRequest[] = [];
    for (const request of lease.waiting.splice(0)) {
      if (!lease.inDebt && lease.freeNano >= request.nano) {
        request.resolve(lease.reserve(request.nano, nowMs));
      } else if (request.sequence === undefined) later.push(request);
      else request.reject(insufficient(lease, request.nano));
    }
    lease.waiting.push(...later);
    if (later.length > 0) this.#want(lease, 'keep');
  }
}

function refuseAll(lease: AccountLease, cause: unknown): void {
  lease.asking = false;
  for (const { reject } of lease.waiting.splice(0)) {
    reject(
      new GatewayError(
        'billing_unavailable',
        'quota could not be reserved and nothing was sent to an upstream; try again',
        { retryAfterMs: 1_000, cause },
      ),
    );
  }
}

function insufficient(lease: AccountLease, nano: number): GatewayError {
  const available = Math.max(0, lease.availableQuota + Math.floor(lease.freeNano / 1e9));
  return new GatewayError(
    'insufficient_quota',
    lease.debtQuota > 0
      ? `the account owes ${lease.debtQuota} quota for earlier text; top it up`
      : `this request reserves ${inQuota(nano)} quota for its prompt and its longest completion, and the account has ${available} available; top it up, send a shorter prompt, or ask for a shorter completion`,
  );
}

/** At most three places, rounded up: what is shown as reserved must not seem to fit. */
const inQuota = (nano: number): string => String(Math.ceil(nano / 1e6) / 1e3);

function leaseGauge(books: LeaseBooks, metrics: Registry): void {
  const gauge = new Gauge({
    name: 'gateway_text_leases',
    help: 'Accounts for whose text this replica holds quota.',
    registers: [metrics],
    collect: () => {
      gauge.set(books.size);
    },
  });
}
