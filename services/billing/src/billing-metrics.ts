import {
  Counter,
  dueWorkGauges,
  Gauge,
  sampledGauges,
  type Log,
  type Part,
  type Registry,
} from '@gateway/runtime';
import type { AuditState, DueWork, Ledger } from '@gateway/store';
import { auditGauges } from './audit-metrics.ts';

export interface BillingMetrics {
  readonly settled: () => void;
  readonly orphan: () => void;
  /** Responses to replicas that asked about their leases. */
  readonly leases: (counts: { readonly granted: number; readonly refused: number }) => void;
  /** What is known of the books; every replica shows the same. */
  readonly audited: (state: AuditState) => void;
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
  return {
    settled: () => {
      settled.inc();
    },
    orphan: () => {
      orphans.inc();
    },
    leases: countLeases(registers),
    audited: auditGauges(registers),
    sampling: (sources) => samplingPart(metrics, sources),
  };
}

function countLeases(registers: Registry[]): BillingMetrics['leases'] {
  const asks = new Counter({
    name: 'gateway_text_lease_asks_total',
    help: 'Asks of replicas about leases for text: held something afterwards, or nothing.',
    labelNames: ['outcome'],
    registers,
  });
  return ({ granted, refused }) => {
    asks.inc({ outcome: 'held' }, granted);
    asks.inc({ outcome: 'nothing' }, refused);
  };
}

function samplingPart(
  metrics: Registry,
  { dueWork, totals, log }: Parameters<BillingMetrics['sampling']>[0],
): Part {
  const registers = [metrics];
  const due = dueWorkGauges(metrics);
  const held = new Gauge({
    name: 'gateway_held_quota',
    help: 'Quota held for unsettled tasks and for text under way, over all accounts.',
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
    gauges: [...due.gauges, held, available, open],
    log,
    async read() {
      due.set('settlement', await dueWork.settlements());
      due.set('usage', await dueWork.usageBatches());
      const { heldQuota, availableQuota, openHolds } = await totals();
      held.set(heldQuota);
      available.set(availableQuota);
      open.set(openHolds);
    },
  });
}
