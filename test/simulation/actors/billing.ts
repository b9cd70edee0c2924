import type { HoldRequest, HoldResponse, LeaseRequest, LeaseResponse } from '@gateway/contracts';
import { done } from '@gateway/queue';
import { createHolds } from '@gateway/store';
import { wideBounds } from '@gateway/testing';
import { createGatheredTake } from '../../../services/billing/src/use-cases/gather-holds.ts';
import { createReconcileMoney } from '../../../services/billing/src/use-cases/reconcile-money.ts';
import { createSettleTask } from '../../../services/billing/src/use-cases/settle-task.ts';
import { createTakeHold } from '../../../services/billing/src/use-cases/take-hold.ts';
import { createModelConsumer } from '../stores/queue-model.ts';
import type { Footing, Surroundings } from './surroundings.ts';
import { beginMetering } from './text/billing.ts';

/** What the api calls. */
export interface BillingFace {
  takeHold(request: HoldRequest, signal: AbortSignal): Promise<HoldResponse>;
  releaseHold(taskId: string): Promise<boolean>;
  settleLeases(request: LeaseRequest): Promise<LeaseResponse>;
}

/** One life of billing. */
export function beginBilling(surroundings: Surroundings, footing: Footing): BillingFace {
  const { redis, promised, text } = surroundings;
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
  const settleLeases =
    text === undefined
      ? () => Promise.reject(new Error('there is no text in this world'))
      : beginMetering(surroundings, footing);
  return { takeHold, releaseHold: holds.release, settleLeases };
}
