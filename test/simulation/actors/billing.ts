import type { HoldRequest, HoldResponse } from '@gateway/contracts';
import { done } from '@gateway/queue';
import { createHolds } from '@gateway/store';
import { wideBounds } from '@gateway/testing';
import { createGatheredTake } from '../../../services/billing/src/use-cases/gather-holds.ts';
import { createReconcileMoney } from '../../../services/billing/src/use-cases/reconcile-money.ts';
import { createSettleTask } from '../../../services/billing/src/use-cases/settle-task.ts';
import { createTakeHold } from '../../../services/billing/src/use-cases/take-hold.ts';
import { createModelConsumer } from '../stores/queue-model.ts';
import type { Footing, Surroundings } from './surroundings.ts';

/** What the api calls. */
export interface BillingFace {
  takeHold(request: HoldRequest, signal: AbortSignal): Promise<HoldResponse>;
  releaseHold(taskId: string): Promise<boolean>;
}

/** One life of billing. */
export function beginBilling({ redis, promised }: Surroundings, footing: Footing): BillingFace {
  const { life, clock, database, link, log } = footing;
  const holds = createHolds(database);
  const settle = createSettleTask({ settle: holds.settle, onSettled: () => undefined });
  const consumer = createModelConsumer(redis.state, {
    job: 'billing.settle',
    handle: (taskId) => settle(taskId).then(() => done),
    isClockRight: clock.isRight,
    log,
    link,
  });
  void consumer.part.start?.();
  life.every(
    promised.sweepMs,
    createReconcileMoney({
      findUnsettled: holds.findUnsettled,
      settle,
      releaseOrphans: () => holds.releaseOrphans(promised.orphanGraceSeconds),
      onOrphan: () => undefined,
    }),
  );
  const takeHold = createTakeHold({
    take: createGatheredTake(holds),
    giveBack: (taskId) =>
      holds.release(taskId).then(
        () => undefined,
        () => undefined,
      ),
    bounds: { ...wideBounds, waitMs: 10_000 },
  });
  return { takeHold, releaseHold: holds.release };
}
