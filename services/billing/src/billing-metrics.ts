import {
  Counter,
  Gauge,
  sampledGauges,
  type Log,
  type Part,
  type Registry,
} from '@gateway/runtime';
import { invariantNames, type DueWork, type Ledger, type Violation } from '@gateway/store';

export interface BillingMetrics {
  readonly settled: () => void;
  readonly orphan: () => void;
  readonly verified: (found: readonly Violation[]) => void;
  readonly exposures: (counts: Readonly<Record<string, number>>) => void;
  /** Gauges that are read from the database every now and then. */
  sampling(sources: {
    readonly dueWork: Pick<DueWork, 'settlements' | 'usageBatches'>;
    readonly totals: Ledger['totals'];
    readonly log: Log;
  }): Part;
}

/** The metrics of holds and of the books. */
export function createBillingMetrics(metrics: Registry): BillingMetrics {
  const registers = [metrics];
  const settled = new Counter({
    name: 'gateway_holds_settled_total',
    help: 'Holds closed after their task ended.',
    registers,
  });
  const orphans = new Counter({
    name: 'gateway_holds_orphaned_total',
    help: 'Holds released because their task was never created.',
    registers,
  });
  const violations = new Gauge({
    name: 'gateway_ledger_violations',
    help: 'Rows that break a money invariant; anything but 0 is an alarm.',
    labelNames: ['invariant'],
    registers,
  });
  const verifiedAt = new Gauge({
    name: 'gateway_ledger_verified_timestamp_seconds',
    help: 'When this replica last checked the money invariants.',
    registers,
  });
  const exposures = new Gauge({
    name: 'gateway_exposures',
    help: 'Vendor work that nobody has been billed for so far.',
    labelNames: ['kind'],
    registers,
  });
  for (const invariant of invariantNames) violations.set({ invariant }, 0);
  return {
    settled: () => {
      settled.inc();
    },
    orphan: () => {
      orphans.inc();
    },
    verified(found) {
      for (const invariant of invariantNames) {
        violations.set(
          { invariant },
          found.filter((violation) => violation.invariant === invariant).length,
        );
      }
      verifiedAt.setToCurrentTime();
    },
    exposures(counts) {
      for (const [kind, count] of Object.entries(counts)) exposures.set({ kind }, count);
    },
    sampling: (sources) => samplingPart(metrics, sources),
  };
}

function samplingPart(
  metrics: Registry,
  { dueWork, totals, log }: Parameters<BillingMetrics['sampling']>[0],
): Part {
  const registers = [metrics];
  const oldest = new Gauge({
    name: 'gateway_oldest_due_seconds',
    help: 'How long the oldest due work has been due, from the tables; 0 when nothing is due.',
    labelNames: ['work'],
    registers,
  });
  const due = new Gauge({
    name: 'gateway_due_work',
    help: 'Pieces of work that are due, from the tables.',
    labelNames: ['work'],
    registers,
  });
  const held = new Gauge({
    name: 'gateway_held_quota',
    help: 'Quota held for unsettled tasks, over all accounts.',
    registers,
  });
  const available = new Gauge({
    name: 'gateway_available_quota',
    help: 'Quota that all accounts together can still spend.',
    registers,
  });
  const open = new Gauge({
    name: 'gateway_open_holds',
    help: 'Holds that are not closed.',
    registers,
  });
  return sampledGauges({
    name: 'due work and quota',
    gauges: [oldest, due, held, available, open],
    log,
    async read() {
      for (const [work, { count, oldestSeconds }] of [
        ['settlement', await dueWork.settlements()],
        ['usage', await dueWork.usageBatches()],
      ] as const) {
        due.set({ work }, count);
        oldest.set({ work }, oldestSeconds);
      }
      const { heldQuota, availableQuota, openHolds } = await totals();
      held.set(heldQuota);
      available.set(availableQuota);
      open.set(openHolds);
    },
  });
}
