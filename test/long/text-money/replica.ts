import type { LeaseRequest, LeaseResponse, UsageRecord } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import type { TextLeases, UsageOutbox } from '@gateway/store';
import { createOpenUsage } from '../../../services/api/src/adapters/open-usage.ts';
import { createTextLeases } from '../../../services/api/src/adapters/text-leases/text-leases.ts';
import { createUsageBacklog } from '../../../services/api/src/adapters/usage-backlog.ts';
import { end, idOf, openRecord, reservedFor, serve, type Served, type Wish } from './request.ts';

/** What becomes of a message: the last two arrive, or arrive again, when others have passed them. */
export const fates = ['arrives', 'is lost', 'response is lost', 'is late', 'comes twice'] as const;
export type Fate = (typeof fates)[number];

export interface Peers {
  readonly settle: (request: LeaseRequest) => Promise<LeaseResponse>;
  readonly findOpenLeases: TextLeases['findOpen'];
  readonly outbox: UsageOutbox;
  readonly nextFate: () => Fate;
  readonly all: readonly Served[];
}

const silent = { warn: () => undefined, error: () => undefined } as never;
const lost = (): Error => new Error('no response');

/** Its outcome, as the client sees it. */
export type Asked = Served | 'refused';

/** One replica of the api: its leases, its running requests and its usage, on a clock of the test. */
export class Replica {
  readonly id = `replica of ${newId('lease')}`;
  readonly running = new Set<Served>();
  readonly late: LeaseRequest[] = [];
  readonly batches: string[] = [];
  readonly #own = new Set<Served>();
  /** Whose an open record is, and what its upstream had sent by then. */
  readonly #openSince = new WeakMap<UsageRecord, { served: Served; sent: number }>();
  #nowMs = 0;
  readonly #peers: Peers;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #leases;
  readonly #open;
  readonly #backlog;

  constructor(peers: Peers) {
    this.#peers = peers;
    this.#leases = createTextLeases({
      replicaId: this.id,
      ask: (request) => this.#follow(this.#ask(request)),
      findOpen: (...page) => this.#follow(this.#peers.findOpenLeases(...page)),
      leaseSeconds: 5,
      idleMs: 60_000,
      log: silent,
      nowMs: () => this.#nowMs,
    });
    this.#open = createOpenUsage({
      keepOpen: (records) => this.#follow(this.#keepOpen(records)),
      save: (batch, closed) => this.#follow(this.#save(batch, closed)),
      findOpen: (ids) => this.#peers.outbox.findOpen(ids),
      log: silent,
      renewMs: 0,
    });
    this.#backlog = createUsageBacklog({
      save: this.#open.save,
      wake: () => undefined,
      log: silent,
      maxRecords: 50,
    });
  }

  async ask(accountId: string, wish: Wish): Promise<Asked> {
    try {
      const reservation = await this.#leases.reserve(accountId, reservedFor(wish));
      const served = serve(accountId, wish, reservation);
      this.running.add(served);
      this.#own.add(served);
      return served;
    } catch {
      return 'refused';
    }
  }

  end(served: Served, how: 'completed' | 'hung up'): void {
    this.running.delete(served);
    end(served, how, (usage) => {
      this.#open.end(usage.id);
      this.#backlog.add(usage);
    });
  }

  owns(served: Served): boolean {
    return this.#own.has(served);
  }

  /** Time passes, and what is due in the background begins. */
  pass(ms: number): void {
    this.#nowMs += ms;
    this.#leases.tick();
  }

  /** As a process that hangs: nothing begins. */
  freeze(ms: number): void {
    this.#nowMs += ms;
  }

  /** Writes down what runs. */
  writeOpen(): void {
    const records: UsageRecord[] = [];
    for (const served of this.running) {
      const record = openRecord(served);
      if (record === undefined) continue;
      this.#openSince.set(record, { served, sent: served.sent });
      records.push(record);
    }
    this.#open.keep(records);
  }

  /** One batch; false when it was not saved as far as this replica knows. */
  async saveUsage(): Promise<boolean> {
    return (await this.#backlog.saveOne()) === undefined;
  }

  get unsaved(): number {
    return this.#backlog.size();
  }

  /** The newest first, so that they also pass each other. */
  async deliverLate(): Promise<void> {
    for (const message of this.late.splice(0).reverse()) await this.#peers.settle(message);
  }

  /** Until nothing is under way. */
  async quiet(): Promise<void> {
    do {
      await Promise.allSettled(this.#underWay);
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    } while (this.#underWay.size > 0);
  }

  stop(): Promise<void> {
    return this.#leases.part.stop();
  }

  #follow<Result>(work: Promise<Result>): Promise<Result> {
    const followed = work.finally(() => this.#underWay.delete(followed));
    followed.catch(() => undefined);
    this.#underWay.add(followed);
    return followed;
  }

  async #ask(request: LeaseRequest): Promise<LeaseResponse> {
    const fate = this.#peers.nextFate();
    if (fate === 'is late' || fate === 'comes twice') this.late.push(request);
    if (fate === 'is lost' || fate === 'is late') throw lost();
    const response = await this.#peers.settle(request);
    if (fate === 'response is lost') throw lost();
    return response;
  }

  async #keepOpen(records: readonly UsageRecord[]): Promise<void> {
    const fate = this.#peers.nextFate();
    if (fate === 'is lost') throw lost();
    await this.#peers.outbox.keepOpen({ replica: this.id, records });
    for (const record of records) {
      const known = this.#openSince.get(record);
      if (known?.served.cutOff === false) known.served.openAt = known.sent;
    }
    if (fate === 'response is lost') throw lost();
  }

  async #save(
    batch: Parameters<UsageOutbox['save']>[0],
    closed?: readonly string[],
  ): Promise<void> {
    const fate = this.#peers.nextFate();
    if (fate === 'is lost') throw lost();
    await this.#peers.outbox.save(batch, closed);
    this.batches.push(batch.id);
    const ids = new Set(batch.records.map(({ id }) => id));
    for (const served of this.#peers.all) if (ids.has(idOf(served))) served.saved = true;
    if (fate === 'response is lost') throw lost();
  }
}
