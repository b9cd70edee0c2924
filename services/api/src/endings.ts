import { setTimeout as pause } from 'node:timers/promises';
import type { Task } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import type { MediaStorage } from '@gateway/media';
import type { Producer } from '@gateway/queue';
import { Counter, intervalPart, type Log, type Part, type Registry } from '@gateway/runtime';
import { createTaskEndings, type Database, type TaskReads } from '@gateway/store';
import { createCancelVideo, type CancelVideo } from './use-cases/cancel-video.ts';
import { createDeleteVideo, type DeleteVideo } from './use-cases/delete-video.ts';
import { createPurgeDeleted } from './use-cases/purge-deleted.ts';

export interface EndingParts {
  readonly database: Database;
  readonly reads: TaskReads;
  readonly storage: MediaStorage;
  readonly producer: Producer;
  readonly waitMs: number;
  readonly metrics: Registry;
  readonly log: Log;
}

const purgeEveryMs = 60_000;

/** What customers do to tasks that exist: cancelling and deleting them. */
export function buildEndings({
  database,
  reads,
  storage,
  producer,
  waitMs,
  metrics,
  log,
}: EndingParts): {
  readonly cancelVideo: (request: CancelVideo) => Promise<Task>;
  readonly deleteVideo: (request: DeleteVideo) => Promise<void>;
  readonly reconciler: Part;
} {
  const cancelled = new Counter({
    name: 'gateway_tasks_cancelled_at_once_total',
    help: 'Tasks cancelled before any vendor was asked for them.',
    registers: [metrics],
  });
  const deleted = new Counter({
    name: 'gateway_tasks_deleted_total',
    help: 'Tasks deleted by their customers.',
    registers: [metrics],
  });
  const endings = createTaskEndings(database);
  const patience = {
    forMs: waitMs,
    now: () => performance.now(),
    pause: (ms: number) => pause(ms),
  };
  const purge = createPurgeDeleted({
    findDeleted: endings.findDeleted,
    deleteFile: storage.delete,
    forget: endings.forget,
  });

  const removeInputs = async ({ id, request }: Task): Promise<void> => {
    try {
      for (const { source } of request.references) {
        if (source.type === 'stored') await storage.delete(source.key);
      }
    } catch (error) {
      log.warn('stored references of a cancelled task are left over', {
        taskId: id,
        reason: describeError(error),
      });
    }
  };
  const cancelVideo = createCancelVideo({
    tasks: { ...endings, find: reads.findForAccount },
    patience,
    hurry: ({ id, requestId }) => {
      void producer.wake('video.advance', id, { requestId, hurry: true });
    },
    onCancelled(task) {
      const { id, requestId, callbackUrl } = task;
      log.info('task moved', { taskId: id, from: 'queued', to: 'cancelled' });
      cancelled.inc();
      void producer.wake('billing.settle', id, { requestId });
      if (callbackUrl !== null) void producer.wake('callback.push', id, { requestId });
      void removeInputs(task);
    },
  });
  const deleteVideo = createDeleteVideo({
    markDeleted: endings.markDeleted,
    patience,
    hurrySettlement: (taskId) => {
      void producer.wake('billing.settle', taskId, { hurry: true });
    },
    async purge(taskId) {
      log.info('task deleted', { taskId });
      deleted.inc();
      await purge(taskId).catch((error: unknown) => {
        log.warn('files or rows of a deleted task are left to the reconciler', {
          taskId,
          reason: describeError(error),
        });
      });
    },
  });
  return {
    cancelVideo,
    deleteVideo,
    reconciler: intervalPart({
      name: 'finish deletions',
      everyMs: purgeEveryMs,
      work: () => purge(),
      log,
    }),
  };
}
