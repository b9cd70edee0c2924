import { createConsumer, done, type Consumer } from '@gateway/queue';
import { Counter, intervalPart, newId, type Log, type Part, type Registry } from '@gateway/runtime';
import { createMetering, createUsageRecovery, type Database } from '@gateway/store';
import type { Settings } from './config.ts';
import { createApplyUsage } from './use-cases/apply-usage.ts';
import { createReconcileUsage } from './use-cases/reconcile-usage.ts';
import { createRecoverUsage } from './use-cases/recover-usage.ts';

export interface MeteringPartsOptions {
  readonly settings: Readonly<Settings>;
  readonly database: Database;
  readonly metrics: Registry;
  readonly log: Log;
}

/**
 * Text usage on its way from the api's outbox into the ledger: woken by a job, found by a sweep
 * when the job was lost.
 */
export function meteringParts({ settings, database, metrics, log }: MeteringPartsOptions): {
  consumer: Consumer;
  reconciler: Part;
} {
  const { records, uncollected, recovered } = createMeteringMetrics(metrics);
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
      log.warn('text usage of a replica that is gone taken over', found);
    },
  });
  const reconcileUsage = createReconcileUsage({
    recoverUsage,
    findUnapplied: metering.findUnapplied,
    applyUsage,
  });
  return {
    consumer: createConsumer({
      redisUrl: settings.REDIS_URL,
      prefix: settings.QUEUE_PREFIX,
      job: 'metering.apply',
      log,
      handle: async (batchId) => {
        await applyUsage(batchId);
        return done;
      },
    }),
    reconciler: intervalPart({
      name: 'reconcile text usage',
      everyMs: settings.SWEEP_MS,
      work: reconcileUsage,
      log,
    }),
  };
}

interface MeteringMetrics {
  readonly records: Counter;
  readonly uncollected: Counter;
  readonly recovered: Counter;
}

const createMeteringMetrics = (metrics: Registry): MeteringMetrics => ({
  records: new Counter({
    name: 'gateway_text_usage_records_total',
    help: 'Text requests whose usage was taken into the books.',
    registers: [metrics],
  }),
  uncollected: new Counter({
    name: 'gateway_text_uncollected_quota_total',
    help: 'Quota that text cost but accounts did not have.',
    registers: [metrics],
  }),
  recovered: new Counter({
    name: 'gateway_text_usage_recovered_total',
    help: 'Text requests whose replica was gone before it could save their usage.',
    registers: [metrics],
  }),
});
