import type { LeaseRequest, LeaseResponse } from '@gateway/contracts';
import { done } from '@gateway/queue';
import { newId } from '@gateway/runtime';
import {
  createLedger,
  createMetering,
  createTextLeases,
  createUsageRecovery,
} from '@gateway/store';
import { createApplyUsage } from '../../../../services/billing/src/use-cases/apply-usage.ts';
import { createReconcileUsage } from '../../../../services/billing/src/use-cases/reconcile-usage.ts';
import { createRecoverUsage } from '../../../../services/billing/src/use-cases/recover-usage.ts';
import { createSettleLeases } from '../../../../services/billing/src/use-cases/settle-leases.ts';
import { createTakeBackLeases } from '../../../../services/billing/src/use-cases/take-back-leases.ts';
import { createModelConsumer } from '../../stores/queue-model.ts';
import { replicaLeaseSeconds } from '../settings.ts';
import type { Footing, Surroundings } from '../surroundings.ts';

/** One life of billing's side of text: leases of quota, and usage on its way into the ledger. */
export function beginMetering(
  { world, redis, promised }: Surroundings,
  { life, clock, database, link, log }: Footing,
): (request: LeaseRequest) => Promise<LeaseResponse> {
  const [leases, metering, recovery, ledger] = [
    createTextLeases(database),
    createMetering(database),
    createUsageRecovery(database),
    createLedger(database),
  ];
  const applyUsage = createApplyUsage({ apply: metering.apply, onApplied: () => undefined });
  const consumer = createModelConsumer(redis.state, {
    job: 'metering.apply',
    handle: (batchId) => applyUsage(batchId).then(() => done),
    isClockRight: clock.isRight,
    log,
    link,
  });
  void consumer.part.start?.();
  const leaseSeconds = replicaLeaseSeconds;
  const reconcile = createReconcileUsage({
    recoverUsage: createRecoverUsage({
      newBatchId: () => newId('usageBatch'),
      recover: (options) => recovery.recover({ ...options, leaseSeconds }),
      purge: () => recovery.purge(leaseSeconds),
      onRecovered: ({ records }) => {
        log.warn('text usage of a replica that is gone recovered', { records });
      },
    }),
    findUnapplied: metering.findUnapplied,
    applyUsage,
    takeBackLeases: createTakeBackLeases({
      takeBack: (limit) => leases.takeBack({ leaseSeconds, limit }),
      purge: leases.purge,
      collectDebts: () => ledger.collectDebts(),
      onTakenBack: (taken) => {
        log.warn('leases of a replica that is gone taken back', { leases: taken.length });
      },
      onCollected: () => undefined,
    }),
  });
  life.every(promised.sweepMs, reconcile);
  return createSettleLeases({ ...leases, onSettled: () => undefined, nowMs: world.now });
}
