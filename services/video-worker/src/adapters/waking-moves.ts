import type { Task, VendorUsage } from '@gateway/contracts';
import { isTerminal, type TaskStatus } from '@gateway/domain';
import type { Producer } from '@gateway/queue';
import { inSpan, reached, type Log, type Span } from '@gateway/runtime';
import {
  hasLostOutput,
  type Exposure,
  type RouteChanges,
  type TaskChanges,
  type TaskMoves,
  type TaskReads,
  type VendorCost,
} from '@gateway/store';
import type { Moves } from '../use-cases/ports.ts';
import type { VendorWork } from './vendor-costs.ts';
import type { RouteLeft } from './worker-metrics.ts';

export interface WakingMovesOptions {
  readonly store: TaskMoves;
  readonly reads: TaskReads;
  readonly producer: Producer;
  readonly log: Log;
  /** What a vendor asks for its work, where that is known. */
  readonly costOf: (task: Task, work?: VendorWork) => VendorCost | undefined;
  readonly onStatus: (task: Task) => void;
  readonly onExposure: (kind: Exposure['kind']) => void;
  readonly onOver: (task: Task) => Promise<void>;
  /** A slot of this provider has become free; never throws. */
  readonly onSlotFree: (provider: string) => Promise<void>;
}

const committed: Readonly<Record<TaskStatus, (taskId: string) => void>> = {
  queued: () => undefined,
  running: (taskId) => {
    reached('submit.recorded', taskId);
  },
  succeeded: (taskId) => {
    reached('finish.committed', taskId);
  },
  failed: (taskId) => {
    reached('fail.committed', taskId);
  },
  cancelled: (taskId) => {
    reached('cancel.committed', taskId);
  },
  expired: (taskId) => {
    reached('expire.committed', taskId);
  },
};

/**
 * The worker's writes, and after each new status its wake-ups. Those may be lost: reconcilers repair
 * that.
 */
export function createWakingMoves({
  store,
  reads,
  producer,
  log,
  costOf,
  onStatus,
  onExposure,
  onOver,
  onSlotFree,
}: WakingMovesOptions): Omit<Moves, 'changeRoutes'> {
  const tellExposure = (exposure: Pick<Exposure, 'kind' | 'vendorTaskId'>): void => {
    log.warn('vendor work that nobody is billed for', exposure);
    onExposure(exposure.kind);
  };
  return {
    ...withinStatus(store, onSlotFree),
    vendorTaskIdOf: async (taskId) => (await reads.findEvenDeleted(taskId))?.vendor.taskId ?? null,
    move: (task, event, { usage, ...change }) =>
      inSpan(
        `task ${event}`,
        { attributes: { 'gateway.task.model': task.model } },
        async (span) => {
          const cost = costOfEnd(task, { ...change.changes, usage }, costOf);
          const next = await store.move(task, event, { ...change, cost });
          if (next === undefined) return undefined;
          if (span !== undefined) tell(span, next);
          committed[next.status](next.id);
          log.info('task moved', {
            from: task.status,
            to: next.status,
            ...(next.failure && { failure: next.failure.code }),
          });
          onStatus(next);
          if (hasLostOutput(next)) {
            tellExposure({ kind: 'output_lost', vendorTaskId: next.vendor.taskId });
          }
          const { id, requestId } = next;
          await Promise.all([
            isTerminal(next.status)
              ? producer.wake('billing.settle', id, { requestId })
              : undefined,
            next.callbackUrl === null
              ? undefined
              : producer.wake('callback.push', id, { requestId }),
            isTerminal(next.status) ? onOver(next) : undefined,
            freesSlot(task, next) ? onSlotFree(next.vendor.provider) : undefined,
          ]);
          if (next.status === 'succeeded') reached('finish.announced', next.id);
          return next;
        },
      ),
    async recordExposure(task, { output, ...exposure }) {
      tellExposure(exposure);
      const { id: taskId, vendor } = task;
      const cost = costOf(task, { output });
      await store.recordExposure({ taskId, provider: vendor.provider, ...exposure, cost });
    },
  };
}

/** A slot may be free at the provider that was left, and one may be at the one that the task waits for. */
export function wakingRouteChanges({
  store,
  log,
  onRouteLeft,
  onSlotFree,
}: Pick<WakingMovesOptions, 'log' | 'onSlotFree'> & {
  readonly store: RouteChanges;
  readonly onRouteLeft: (left: RouteLeft) => void;
}): RouteChanges['changeRoutes'] {
  return async (changes) => {
    const moved = await store.changeRoutes(changes);
    const before = new Map(changes.map((change) => [change.task.id, change]));
    const providers = new Set<string>();
    for (const { id } of moved) reached('leave.committed', id);
    for (const { id, vendor } of moved) {
      const change = before.get(id);
      if (change === undefined) continue;
      const { provider } = change.task.vendor;
      onRouteLeft({
        provider,
        because: change.because,
        model: change.task.model,
        to: vendor.provider,
      });
      log.info('task changed its route', {
        taskId: id,
        from: provider,
        to: vendor.provider,
        because: change.because,
      });
      if (hasSlot(change.task)) providers.add(provider);
      providers.add(vendor.provider);
    }
    await Promise.all([...providers].map(onSlotFree));
    return moved;
  };
}

/** Of a move that ends a task whose vendor has made something, or charges for what it has not. */
const costOfEnd = (
  task: Task,
  { billed, result, failure, usage }: TaskChanges & { readonly usage: VendorUsage | undefined },
  costOf: WakingMovesOptions['costOf'],
): VendorCost | undefined =>
  billed !== undefined &&
  (task.vendorOutput !== null || usage !== undefined || failure?.code === 'no_output')
    ? costOf(task, { output: usage ?? task.vendorOutput, result })
    : undefined;

/** The writes that leave the status as it is. */
function withinStatus(
  store: TaskMoves,
  onSlotFree: WakingMovesOptions['onSlotFree'],
): Pick<Moves, 'claimSubmission' | 'putOff' | 'giveBackSlot' | 'stay' | 'closeLate'> {
  return {
    claimSubmission: store.claimSubmission,
    async putOff(task, how) {
      const next = await store.putOff(task, how);
      if (next !== undefined && freesSlot(task, next)) await onSlotFree(task.vendor.provider);
      return next;
    },
    async giveBackSlot(task) {
      const next = await store.giveBackSlot(task);
      if (next !== undefined) await onSlotFree(task.vendor.provider);
      return next;
    },
    async stay(task, changes) {
      const next = await store.stay(task, changes);
      if (next !== undefined && freesSlot(task, next)) await onSlotFree(task.vendor.provider);
      return next;
    },
    async closeLate(task) {
      await store.closeLate(task);
      await onSlotFree(task.vendor.provider);
    },
  };
}

/** While a task is at these steps its vendor may be at work on it: the table counts its slot so. */
const hasSlot = ({ step, admittedAt }: Pick<Task, 'step' | 'admittedAt'>): boolean =>
  admittedAt !== null && step !== 'ingest' && step !== 'done';

const freesSlot = (before: Task, after: Task): boolean => hasSlot(before) && !hasSlot(after);

function tell(span: Span, { status, failure }: Task): void {
  span.set({ 'gateway.task.status': status, 'gateway.task.failure': failure?.code });
}
