import { intervalPart, type Part } from '@gateway/runtime';
import { createTaskEndings, createTaskReads, type TaskEndings } from '@gateway/store';
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

/** Cancelling by these writes: a customer's, or an operator's, which are journaled. */
export const buildCancel = (
  writes: Pick<TaskEndings, 'cancelUnsubmitted' | 'requestCancel'>,
  {
    database,
    storage,
    producer: { wake },
    waitMs,
    counts,
    log,
  }: Omit<CancelAndDeleteParts, 'removeFile'>,
): ReturnType<typeof createCancelVideo> =>
  createCancelVideo({
    tasks: { ...writes, findOrArchived: createTaskReads(database).findOrArchived },
    wake,
    removeReferences: createReferenceRemover(storage, log),
    onCancelledAtOnce: counts.cancelledAtOnce,
    log,
    patience: patienceOf(waitMs),
  });

/** Cancelling and deleting videos, and the part that finishes interrupted deletions. */
export function buildCancelAndDelete(parts: CancelAndDeleteParts): Pick<
  VideoRoutesOptions,
  'cancelVideo' | 'deleteVideo'
> & {
  readonly reconciler: Part;
} {
  const { database, removeFile, producer, waitMs, counts, log } = parts;
  const { cancelUnsubmitted, requestCancel, markDeleted, findDeleted, forget } =
    createTaskEndings(database);
  const purge = createPurgeDeleted({ findDeleted, forget, removeFile });
  return {
    cancelVideo: buildCancel({ cancelUnsubmitted, requestCancel }, parts),
    deleteVideo: createDeleteVideo({
      markDeleted,
      wake: producer.wake,
      purge,
      onDeleted: counts.deleted,
      log,
      patience: patienceOf(waitMs),
    }),
    reconciler: intervalPart({
      name: 'finish deletions',
      everyMs: finishEveryMs,
      work: () => purge(),
      log,
    }),
  };
}
