import { intervalPart, type Part } from '@gateway/runtime';
import { createTaskEndings, createTaskReads } from '@gateway/store';
import { createReferenceRemover } from '../adapters/reference-store.ts';
import type { VideoMetrics } from '../adapters/video-metrics.ts';
import type { VideoRoutesOptions } from '../http/routes/videos.ts';
import { createCancelVideo } from '../use-cases/cancel-video.ts';
import { createDeleteVideo } from '../use-cases/delete-video.ts';
import { createPurgeDeleted } from '../use-cases/purge-deleted.ts';
import type { Clients } from './clients.ts';
import { patienceOf } from './patience.ts';

export interface CancelAndDeleteParts extends Pick<
  Clients,
  'database' | 'storage' | 'removeFile' | 'producer' | 'log'
> {
  /** How long a request waits for the vendor, or for billing. */
  readonly waitMs: number;
  readonly counts: VideoMetrics;
}

const finishEveryMs = 60_000;

/** Cancelling and deleting videos, and the part that finishes interrupted deletions. */
export function buildCancelAndDelete({
  database,
  storage,
  removeFile,
  producer: { wake },
  waitMs,
  counts,
  log,
}: CancelAndDeleteParts): Pick<VideoRoutesOptions, 'cancelVideo' | 'deleteVideo'> & {
  readonly reconciler: Part;
} {
  const { findOrArchived } = createTaskReads(database);
  const { cancelUnsubmitted, requestCancel, markDeleted, findDeleted, forget } =
    createTaskEndings(database);
  const purge = createPurgeDeleted({ findDeleted, forget, removeFile });
  const patience = patienceOf(waitMs);
  return {
    cancelVideo: createCancelVideo({
      tasks: { cancelUnsubmitted, requestCancel, findOrArchived },
      wake,
      removeReferences: createReferenceRemover(storage, log),
      onCancelledAtOnce: counts.cancelledAtOnce,
      log,
      patience,
    }),
    deleteVideo: createDeleteVideo({
      markDeleted,
      wake,
      purge,
      onDeleted: counts.deleted,
      log,
      patience,
    }),
    reconciler: intervalPart({
      name: 'finish deletions',
      everyMs: finishEveryMs,
      work: () => purge(),
      log,
    }),
  };
}
