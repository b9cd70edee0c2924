import { newId } from '@gateway/runtime';
import {
  createHolds,
  createLedger,
  createMetering,
  createTextLeases,
  createUsageOutbox,
  createUsageRecovery,
  type Database,
} from '@gateway/store';
import { createReconcileUsage } from '../../../services/billing/src/use-cases/reconcile-usage.ts';
import { createRecoverUsage } from '../../../services/billing/src/use-cases/recover-usage.ts';
import { createSettleLeases } from '../../../services/billing/src/use-cases/settle-leases.ts';
import { createTakeBackLeases } from '../../../services/billing/src/use-cases/take-back-leases.ts';
import { faultsOf, readBooks, type Account } from './auditor.ts';
import { Replica, type Fate, type Peers } from './replica.ts';
import { mayWrite, type Served, type Wish } from './request.ts';

class MoneyFault extends Error {}

/** What the histories did, so that a test can show that they did it. */
export type Tally = Map<string, number>;

const leaseSeconds = 60;

/** Billing as it is put together in production, without its queue and its clock. */
function billingOn(
  database: Database,
  { count, nowMs }: { count: (what: string, times?: number) => void; nowMs: () => number },
) {
  const [leases, metering, recovery, ledger] = [
    createTextLeases(database),
    createMetering(database),
    createUsageRecovery(database),
    createLedger(database),
  ];
  const applyUsage = async (batchId: string): Promise<void> => {
    const applied = await metering.apply(batchId);
    if ((applied?.uncollectedQuota ?? 0) > 0) count('debts made');
  };
  return {
    applyUsage,
    settle: createSettleLeases({ ...leases, onSettled: () => undefined, nowMs }),
    reconcile: createReconcileUsage({
      recoverUsage: createRecoverUsage({
        newBatchId: () => newId('usageBatch'),
        recover: (options) => recovery.recover({ ...options, leaseSeconds }),
        purge: () => recovery.purge(leaseSeconds),
        onRecovered: ({ records }) => {
          count('requests recovered', records);
        },
      }),
      findUnapplied: metering.findUnapplied,
      applyUsage,
      takeBackLeases: createTakeBackLeases({
        takeBack: (limit) => leases.takeBack({ leaseSeconds, limit }),
        purge: leases.purge,
        collectDebts: () => ledger.collectDebts(),
        onTakenBack: (taken) => {
          count('leases taken back', taken.length);
        },
        onCollected: () => {
          count('debts collected by the reconciler');
        },
      }),
    }),
  };
}

/** Two replicas of the api on one billing, and the accounts of many histories. */
export class World {
  readonly accounts: Account[] = [];
  readonly all: Served[] = [];
  readonly #database: Database;
  readonly #tally: Tally;
  readonly #billing;
  readonly #peers: Peers;
  readonly #replicas: Replica[];
  readonly #gone: Replica[] = [];
  #fates: readonly Fate[];
  #fate = 0;
  /** What replicas were silent for, by billing's clock. */
  #passedMs = 0;

  constructor(database: Database, fates: readonly Fate[], tally: Tally) {
    this.#database = database;
    this.#tally = tally;
    this.#fates = fates;
    this.#billing = billingOn(database, {
      count: (what, times) => {
        this.#count(what, times);
      },
      nowMs: () => performance.now() + this.#passedMs,
    });
    this.#peers = {
      settle: this.#billing.settle,
      findOpenLeases: createTextLeases(database).findOpen,
      outbox: createUsageOutbox(database),
      nextFate: () => this.#nextFate(),
      all: this.all,
    };
    this.#replicas = [new Replica(this.#peers), new Replica(this.#peers)];
  }

  async open(quotas: readonly number[]): Promise<void> {
    for (const toppedUp of quotas) {
      const id = newId('account');
      this.accounts.push({ id, toppedUp, holds: new Map(), clear: new Set() });
    }
    await this.#database.pool.query(
      `INSERT INTO account (id, name) SELECT id, 'Test' FROM unnest($1::text[]) AS a(id)`,
      [this.accounts.map(({ id }) => id)],
    );
    const ledger = createLedger(this.#database);
    await Promise.all(
      this.accounts
        .filter(({ toppedUp }) => toppedUp > 0)
        .map(({ id, toppedUp }) => ledger.topUp(id, toppedUp, 'test')),
    );
  }

  async ask(account: Account, replica: number, wish: Wish): Promise<void> {
    const asked = await this.#replicas[replica]!.ask(account.id, wish);
    if (asked !== 'refused') this.all.push(asked);
    this.#count(asked === 'refused' ? 'refused' : 'served');
  }

  /** The upstream of one running request sends more. */
  progress(account: Account, which: number, tokens: number): void {
    const [, served] = this.#runningOf(account, which);
    if (served !== undefined) served.sent = Math.min(served.sent + tokens, mayWrite(served.wish));
  }

  end(account: Account, which: number, how: 'completed' | 'hung up'): void {
    const [replica, served] = this.#runningOf(account, which);
    if (replica === undefined || served === undefined) return;
    replica.end(served, how);
    this.#count(how);
  }

  async topUp(account: Account, quota: number): Promise<void> {
    account.toppedUp += quota;
    const balance = await createLedger(this.#database).topUp(account.id, quota, 'test');
    this.#count('topped up');
    if (balance.debtQuota > 0 && balance.availableQuota > 0) {
      throw new MoneyFault(`${account.id}: a top-up left ${JSON.stringify(balance)}`);
    }
  }

  async hold(account: Account, quota: number): Promise<void> {
    const [taskId, account_id] = [newId('task'), account.id];
    const request = { task_id: taskId, account_id, quota, seconds: quota, second_quota: 1 };
    const [decision] = await createHolds(this.#database).take(account.id, [request]);
    const outcome = decision?.outcome ?? 'lost';
    if (outcome === 'held') account.holds.set(taskId, quota);
    this.#count(`video ${outcome}`);
  }

  async release(account: Account): Promise<void> {
    const [taskId] = account.holds.keys();
    if (taskId === undefined) return;
    account.holds.delete(taskId);
    if (!(await createHolds(this.#database).release(taskId))) {
      throw new MoneyFault(`${taskId}: its hold could not be released`);
    }
  }

  /** What goes on in the background between two steps of a history, all at once. */
  async pass(ms: number, { writesOpen = false, saves = false, applies = false }): Promise<void> {
    if (ms > leaseSeconds * 1_000) await Promise.all(this.#replicas.map((one) => this.#flush(one)));
    await Promise.all(
      this.#replicas.map(async (replica) => {
        replica.pass(ms);
        if (writesOpen) replica.writeOpen();
        if (saves) await replica.saveUsage();
        if (applies) await this.#apply(replica);
        await replica.quiet();
      }),
    );
  }

  /** Messages of the past, of replicas that are gone as well. */
  async deliverLate(): Promise<void> {
    await Promise.all([...this.#replicas, ...this.#gone].map((replica) => replica.deliverLate()));
    this.#count('late messages');
  }

  /** kill -9: what is in memory is gone, and another replica takes its place. */
  kill(which: number): void {
    const replica = this.#replicas[which]!;
    for (const served of replica.running) served.state = 'killed';
    this.#gone.push(replica);
    this.#replicas[which] = new Replica(this.#peers);
    this.#count('killed');
  }

  /** A replica hangs for longer than billing waits, and then goes on. */
  async freeze(which: number): Promise<void> {
    const replica = this.#replicas[which]!;
    replica.freeze(2 * leaseSeconds * 1_000);
    await this.reconcile([replica]);
    this.#count('frozen');
  }

  /** A sweep of billing, once the silence of whoever is gone has been long enough. */
  async reconcile(frozen: readonly Replica[] = []): Promise<void> {
    const replicas = [...this.#gone, ...frozen];
    const silent = replicas.map(({ id }) => id);
    await this.#database.pool.query(
      `UPDATE usage_lease SET renewed_at = now() - interval '1 hour' WHERE replica = ANY($1)`,
      [silent],
    );
    this.#passedMs += 3_600_000;
    for (const served of this.all.filter(({ saved }) => !saved)) note(served, replicas);
    await this.#billing.reconcile();
    const { rows } = await this.#database.pool.query(
      `SELECT id, replica, held_quota FROM text_lease WHERE state = 'open' AND replica = ANY($1)`,
      [silent],
    );
    if (rows.length > 0) {
      throw new MoneyFault(`leases of replicas that are gone: ${JSON.stringify(rows)}`);
    }
  }

  async audit(isOver = false): Promise<void> {
    const ids = this.accounts.map(({ id }) => id);
    const books = await readBooks(this.#database, ids);
    const faults = [...faultsOf(this, books, isOver)].slice(0, 5);
    if (faults.length > 0) throw new MoneyFault(faults.join('\n'));
    this.#count('audits');
  }

  /** Everybody hangs up, one replica stops in order and the other is killed; nothing may be left. */
  async close(): Promise<void> {
    this.#fates = ['arrives'];
    const [first, second] = this.#replicas as [Replica, Replica];
    for (const served of [...first.running]) first.end(served, 'hung up');
    while (first.unsaved > 0) await first.saveUsage();
    await this.#apply(first);
    await first.quiet();
    await first.stop();
    await second.quiet();
    for (const replica of [first, second]) {
      for (const served of replica.running) served.state = 'killed';
      this.#gone.push(replica);
    }
    await this.deliverLate();
    await this.reconcile();
    await this.audit(true);
    await this.#payDebts();
  }

  /** Whoever owes is topped up, by less than some owe. */
  async #payDebts(): Promise<void> {
    const { rows } = await this.#database.pool.query<{ id: string }>(
      'SELECT account_id AS id FROM balance WHERE debt_quota > 0 AND account_id = ANY($1)',
      [this.accounts.map(({ id }) => id)],
    );
    const debtors = this.accounts.filter(({ id }) => rows.some((row) => row.id === id));
    await Promise.all(debtors.map((account) => this.topUp(account, 10)));
    this.#count('debtors topped up', debtors.length);
    await this.audit(true);
  }

  /** Before an idle time after which a replica gives up leases whose usage never came. */
  async #flush(replica: Replica): Promise<void> {
    await replica.saveUsage();
    await this.#apply(replica);
    for (const served of this.all) {
      const hasEnded = served.state !== 'running' && replica.owns(served);
      if (hasEnded && !served.saved) served.outlived = true;
    }
  }

  /** Batches of a replica, the newest twice and at once. */
  async #apply({ batches }: Replica): Promise<void> {
    const due = batches.splice(0);
    await Promise.all(
      [...due, ...due.slice(-1)].map((batchId) => this.#billing.applyUsage(batchId)),
    );
  }

  #runningOf({ id }: Account, which: number): readonly [Replica?, Served?] {
    const found = this.#replicas.flatMap((replica) =>
      [...replica.running]
        .filter(({ accountId }) => accountId === id)
        .map((served) => [replica, served] as const),
    );
    return found[which % found.length] ?? [];
  }

  #nextFate(): Fate {
    this.#fate += 1;
    const fate = this.#fates[this.#fate % this.#fates.length] ?? 'arrives';
    this.#count(`a message ${fate}`);
    return fate;
  }

  #count(what: string, times = 1): void {
    this.#tally.set(what, (this.#tally.get(what) ?? 0) + times);
  }
}

/** What was written down of a silent replica's requests counts; the rest lost its lease. */
function note(served: Served, silent: readonly Replica[]): void {
  if (!silent.some((replica) => replica.owns(served))) return;
  if (served.openAt === undefined) served.outlived = true;
  else served.cutOff = true;
}
