import type { StoredMedia, Task, VendorOutput } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import { MediaError, probeImage, probeMp4, sourceFromStorage, StorageError, type MediaStorage } from '@gateway/media';
import { OutboundError, type OutboundClient } from '@gateway/outbound';
import { reached, type Log } from '@gateway/runtime';
import type { CopyOutcome } from '../use-cases/ingest-task.ts';

export interface FileCopierOptions {
  readonly storage: MediaStorage;
  readonly outbound: OutboundClient;
  readonly maxVideoBytes: number;
  readonly timeoutMs: number;
  readonly log: Pick<Log, 'warn'>;
}

export interface FileCopier {
  readonly copy: (task: Task, output: VendorOutput, signal: AbortSignal) => Promise<CopyOutcome>;
  readonly discard: (media: readonly StoredMedia[]) => Promise<void>;
}

const maxImageBytes = 50_000_000;
/** An image says its size well within this. */
const imageHeadBytes = 65_536;

/** Copies a vendor's files through the guarded client into storage, and believes only what the stored bytes say. */
export function createFileCopier({ storage, outbound, maxVideoBytes, timeoutMs, log }: FileCopierOptions): FileCopier {
  const discard: FileCopier['discard'] = async (media) => {
    await Promise.all(media.map(({ storageKey }) => storage.delete(storageKey)));
  };
  return {
    discard,
    async copy(task, output, signal) {
      const stored: StoredMedia[] = [];
      try {
        const content = await fetchInto(`videos/${task.id}-${task.epoch}.mp4`, { url: output.videoUrl, maxBytes: maxVideoBytes, signal });
        stored.push({ variant: 'content', contentType: 'video/mp4', ...content });
        reached('ingest.video-stored', task.id);
        const video = await probeMp4(await sourceFromStorage(storage, content.storageKey));
        if (task.request.returnLastFrame) stored.push(await copyLastFrame(task, output, signal));
        return { kind: 'stored', media: stored, video };
      } catch (error) {
        const outcome = classify(error);
        log.warn('vendor file not copied', { taskId: task.id, outcome: outcome.kind, detail: outcome.detail, ...(OutboundError.is(error) && error.blockedAddress !== undefined && { blockedAddress: error.blockedAddress }) });
        if (outcome.kind !== 'our_fault') await discard(stored);
        return outcome;
      }
    },
  };

  async function copyLastFrame(task: Task, { lastFrameUrl }: VendorOutput, signal: AbortSignal): Promise<StoredMedia> {
    if (lastFrameUrl === undefined) throw new MediaError('not_a_video', 'the vendor gave no last frame although it was asked for');
    const frame = await fetchInto(`frames/${task.id}-${task.epoch}`, { url: lastFrameUrl, maxBytes: maxImageBytes, signal });
    const source = await sourceFromStorage(storage, frame.storageKey);
    const image = probeImage(await source.read(0, Math.min(source.sizeBytes, imageHeadBytes) - 1));
    if (image === undefined) throw new MediaError('unreadable_video', 'the last frame is not a JPEG or PNG');
    return { variant: 'last-frame', contentType: image.mediaType, ...frame };
  }

  async function fetchInto(storageKey: string, { url, maxBytes, signal }: { url: string; maxBytes: number; signal: AbortSignal }): Promise<{ storageKey: string; sizeBytes: number; sha256: string }> {
    const { stream } = await outbound.download({ url, maxBytes, timeoutMs, signal });
    return { storageKey, ...(await storage.put(storageKey, stream, { maxBytes, signal })) };
  }
}

/** Whose fault a failed copy is decides whether it is counted against the vendor's output. */
function classify(error: unknown): Exclude<CopyOutcome, { kind: 'stored' }> {
  const detail = describeError(error);
  if (MediaError.is(error)) return { kind: 'rejected', detail };
  if (OutboundError.is(error)) return { kind: 'unavailable', detail: `${error.code}: ${detail}` };
  if (StorageError.is(error)) return { kind: error.code === 'too_large' ? 'rejected' : 'our_fault', detail: `${error.code}: ${detail}` };
  throw error;
}
