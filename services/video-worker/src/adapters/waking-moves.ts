import type { Task } from '@gateway/contracts';
import { isTerminal, type TaskStatus } from '@gateway/domain';
import type { Producer } from '@gateway/queue';
import { inSpan, reached, type Log, type Span } from '@gateway/runtime';
import type { TaskMoves, TaskReads } from '@gateway/store';
import type { Moves } from '../use-cases/ports.ts';

export interface WakingMovesOptions {
  readonly store: TaskMoves;
  readonly reads: TaskReads;
  readonly producer: Producer;
  readonly log: Log;
  readonly onStatus: (task: Task) => void;
  readonly onExposure: (kind: string) => void;
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
  onStatus,
  onExposure,
  onOver,
  onSlotFree,
}: WakingMovesOptions): Moves {
  return {
    stay: store.stay,
    claimSubmission: store.claimSubmission,
    closeLate: store.closeLate,
    vendorTaskIdOf: async (taskId) => (await reads.findEvenDeleted(taskId))?.vendor.taskId ?? null,
    move: (task, event, change) =>
      inSpan(
        `task ${event}`,
        { attributes: { 'gateway.task.model': task.model } },
        async (span) => {
          const next = await store.move(task, event, change);
          if (next === undefined) return undefined;
          if (span !== undefined) tell(span, next);
          committed[next.status](next.id);
          log.info('task moved', {
            from: task.status,
            to: next.status,
            ...(next.failure && { failure: next.failure.code }),
          });
          onStatus(next);
          const { id, requestId } = next;
          await Promise.all([
            isTerminal(next.status)
              ? producer.wake('billing.settle', id, { requestId })
              : undefined,
            next.callbackUrl === null
              ? undefined
              : producer.wake('callback.push', id, { requestId }),
            isTerminal(next.status) ? onOver(next) : undefined,
            isTerminal(next.status) && next.admittedAt !== null
              ? onSlotFree(next.vendor.provider)
              : undefined,
          ]);
          if (next.status === 'succeeded') reached('finish.announced', next.id);
          return next;
        },
      ),
    async recordExposure(task, exposure) {
      log.warn('vendor work that nobody is billed for', exposure);
      onExposure(exposure.kind);
      await store.recordExposure({ taskId: task.id, provider: task.vendor.provider, ...exposure });
    },
  };
}

function tell(span: Span, { status, failure }: Task): void {
  span.set({ 'gateway.task.status': status, 'gateway.task.failure': failure?.code });
}
