import { createConsumer, done, type Consumer } from '@gateway/queue';
import {
  Counter,
  intervalPart,
  newId,
  type Log,
  type Part,
  type Registry,
  type SharedClock,
} from '@gateway/runtime';
import {
  createLedger,
  createMetering,
  createTextLeases,
  createUsageRecovery,
  type Database,
  type TextLeases,
} from '@gateway/store';
import type { Settings } from './config.ts';
import { createApplyUsage } from './use-cases/apply-usage.ts';
import { createReconcileUsage } from './use-cases/reconcile-usage.ts';
import { createRecoverUsage } from './use-cases/recover-usage.ts';
import { createTakeBackLeases } from './use-cases/take-back-leases.ts';

export interface MeteringPartsOptions {
  readonly settings: Readonly<Settings>;
  readonly database: Database;
  readonly clock: SharedClock;
  readonly metrics: Registry;
  readonly log: Log;
}

/**
 * Text usage on its way from the api's outbox into the ledger: woken by a job, found by a sweep
 * when the job was lost.
 */
export function meteringParts({ settings, database, clock, metrics, log }: MeteringPartsOptions): {
  consumer: Consumer;
  reconciler: Part;
} {
  const meteringMetrics = createMeteringMetrics(metrics);
  const { records, uncollected, recovered } = meteringMetrics;
  const metering = createMetering(database);
  const recovery = createUsageRecovery(database);
  const applyUsage = createApplyUsage({
    apply: metering.apply,
    onApplied: (applied) => {
      records.inc(applied.records);
      uncollected.inc(applied.uncollectedQuota);
    },
  });
  const recoverUsage = createRecoverUsage({
    newBatchId: () => newId('usageBatch'),
    recover: ({ batchId, limit }) =>
      recovery.recover({ batchId, limit, leaseSeconds: settings.USAGE_LEASE_SECONDS }),
    purge: () => recovery.purge(settings.USAGE_LEASE_SECONDS),
    onRecovered: (found) => {
      recovered.inc(found.records);
      log.warn('text usage of a replica that is gone recovered', found);
    },
  });
  const reconcileUsage = createReconcileUsage({
    recoverUsage,
    findUnapplied: metering.findUnapplied,
    applyUsage,
    takeBackLeases: takeBackWith({ settings, database, log }, meteringMetrics),
  });
  return {
    consumer: createConsumer({
      redisUrl: settings.REDIS_URL,
      redisSilentMs: settings.REDIS_SILENCE_MS,
      prefix: settings.QUEUE_PREFIX,
      job: 'metering.apply',
      log,
      handle: async (batchId) => {
        await applyUsage(batchId);
        return done;
      },
      isClockRight: clock.isRight,
    }),
    reconciler: intervalPart({
      name: 'reconcile text usage',
      everyMs: settings.SWEEP_MS,
      work: reconcileUsage,
      log,
    }),
  };
}

function takeBackWith(
  { settings, database, log }: Pick<MeteringPartsOptions, 'settings' | 'database' | 'log'>,
  { takenBack, collected }: MeteringMetrics,
): () => Promise<void> {
  const leases: TextLeases = createTextLeases(database);
  return createTakeBackLeases({
    takeBack: (limit) => leases.takeBack({ leaseSeconds: settings.USAGE_LEASE_SECONDS, limit }),
    purge: leases.purge,
    collectDebts: () => createLedger(database).collectDebts(),
    onTakenBack: (found) => {
      takenBack.inc(found.length);
      log.warn('leases of a replica that is gone taken back', { leases: found.length });
    },
    onCollected: (quota) => {
      collected.inc(quota);
    },
  });
}

interface MeteringMetrics {
  readonly takenBack: Counter;
  readonly collected: Counter;
  readonly records: Counter;
  readonly uncollected: Counter;
  readonly recovered: Counter;
}

const createMeteringMetrics = (metrics: Registry): MeteringMetrics => ({
  takenBack: new Counter({
    name: 'gateway_text_leases_taken_back_total',
    help: 'Leases for text whose replica was gone before it gave them back.',
    registers: [metrics],
  }),
  collected: new Counter({
    name: 'gateway_text_debt_collected_quota_total',
    help: 'Quota owed for text that the reconciler found available and collected.',
    registers: [metrics],
  }),
  records: new Counter({
    name: 'gateway_text_usage_records_total',
    help: 'Text requests whose usage was taken into the books.',
    registers: [metrics],
  }),
  uncollected: new Counter({
    name: 'gateway_text_uncollected_quota_total',
    help: 'Quota that text cost but accounts did not have: new debts.',
    registers: [metrics],
  }),
  recovered: new Counter({
    name: 'gateway_text_usage_recovered_total',
    help: 'Text requests whose replica was gone before it could save their usage.',
    registers: [metrics],
  }),
});
