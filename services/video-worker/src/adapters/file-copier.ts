import { Readable } from 'node:stream';
import type { StoredMedia, Task, VendorOutput } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import {
  MediaError,
  probeImage,
  probeMp4,
  sourceFromStorage,
  StorageError,
  type FileRemover,
  type FrameCutter,
  type MediaStorage,
} from '@gateway/media';
import { OutboundError, type OutboundClient } from '@gateway/outbound';
import { reached, type Log } from '@gateway/runtime';
import type { FileOutcome } from '@gateway/video-providers';
import type { CopyOutcome } from '../use-cases/ingest-task.ts';
import type { MakePoster } from './poster-maker.ts';

export interface FileCopierOptions {
  readonly storage: MediaStorage;
  readonly removeFile: FileRemover['remove'];
  /**
   * Ends the name of every file, so that nobody else writes or removes it: after a fail-over of the
   * database two workers may hold the same epoch.
   */
  readonly newSuffix: () => string;
  readonly outbound: OutboundClient;
  /** Headers with the vendor's key, of a vendor that guards its files with it. */
  readonly fileHeaders: (task: Task) => Readonly<Record<string, string>>;
  /** The file of an output that is inline, from the vendor's own response. */
  readonly readInline: (task: Task, signal: AbortSignal) => Promise<FileOutcome>;
  /** Undefined where there is no decoder. */
  readonly cutLastFrame: FrameCutter | undefined;
  /** Undefined where there are no posters. */
  readonly makePoster: MakePoster | undefined;
  readonly maxVideoBytes: number;
  readonly timeoutMs: number;
  readonly log: Pick<Log, 'warn'>;
}

export interface FileCopier {
  readonly copy: (task: Task, output: VendorOutput, signal: AbortSignal) => Promise<CopyOutcome>;
  /** Removes what `copy` has stored, or leaves it to the sweep of the storage. */
  readonly discard: (media: readonly Pick<StoredMedia, 'storageKey'>[]) => Promise<void>;
}

const maxImageBytes = 50_000_000;
/** An image says its size well within this. */
const imageHeadBytes = 65_536;

type StoredFile = Omit<StoredMedia, 'variant' | 'contentType'>;

interface Copying {
  readonly task: Task;
  readonly output: VendorOutput;
  readonly signal: AbortSignal;
  /** All that was stored so far, to be removed when the copy comes to nothing. */
  readonly files: StoredFile[];
}

/**
 * Copies a vendor's files through the guarded client into storage, and believes only what the
 * stored bytes say.
 */
export function createFileCopier(options: FileCopierOptions): FileCopier {
  const { storage, removeFile, newSuffix, makePoster, maxVideoBytes, log } = options;
  const fetchInto = createFetchInto(options);
  const readInto = createReadInto(options);
  const copyLastFrame = createCopyLastFrame(options, fetchInto);
  const discard: FileCopier['discard'] = async (media) => {
    await Promise.all(media.map(({ storageKey }) => removeFile(storageKey)));
  };
  return {
    discard,
    async copy(task, output, signal) {
      const copying: Copying = { task, output, signal, files: [] };
      try {
        const storageKey = `videos/${task.id}-${task.epoch}-${newSuffix()}.mp4`;
        const content = await (output.isInline === true
          ? readInto(storageKey, copying)
          : fetchInto(storageKey, { url: output.videoUrl, maxBytes: maxVideoBytes }, copying));
        reached('ingest.video-stored', task.id);
        const { container, ...video } = await probeMp4(
          await sourceFromStorage(storage, content.storageKey),
        );
        const media: StoredMedia[] = [
          { variant: 'content', contentType: contentTypes[container], ...content },
        ];
        if (task.request.returnLastFrame) media.push(await copyLastFrame(content, copying));
        // Last of all: nothing that fails behind it leaves a poster.
        const poster = await makePoster?.(task, content, signal);
        if (poster !== undefined) media.push(poster);
        return { kind: 'stored', media, video };
      } catch (error) {
        await discard(copying.files);
        const outcome = classify(error);
        log.warn('vendor file not copied', {
          taskId: task.id,
          outcome: outcome.kind,
          detail: outcome.detail,
          ...(OutboundError.is(error) &&
            error.blockedAddress !== undefined && { blockedAddress: error.blockedAddress }),
        });
        return outcome;
      }
    },
  };
}

type FetchInto = (
  storageKey: string,
  file: { readonly url: string; readonly maxBytes: number },
  copying: Copying,
) => Promise<StoredFile>;

const createFetchInto =
  ({ storage, outbound, timeoutMs, fileHeaders }: FileCopierOptions): FetchInto =>
  async (storageKey, { url, maxBytes }, { task, signal, files }) => {
    const { stream } = await outbound.download({
      url,
      maxBytes,
      timeoutMs,
      signal,
      headers: isOfVendor(url, task) ? fileHeaders(task) : {},
    });
    const stored = { storageKey, ...(await storage.put(storageKey, stream, { maxBytes, signal })) };
    files.push(stored);
    return stored;
  };

/** The adapter bounds what it reads, for all of it is in memory at once. */
const createReadInto =
  ({ storage, readInline, maxVideoBytes: maxBytes }: FileCopierOptions) =>
  async (storageKey: string, { task, signal, files }: Copying): Promise<StoredFile> => {
    const read = await readInline(task, signal);
    if (read.kind === 'error') throw new NoInlineFile(read.detail);
    const stream = Readable.from([read.bytes]);
    const stored = { storageKey, ...(await storage.put(storageKey, stream, { maxBytes, signal })) };
    files.push(stored);
    return stored;
  };

function createCopyLastFrame(
  { storage, newSuffix, cutLastFrame }: FileCopierOptions,
  fetchInto: FetchInto,
): (content: StoredFile, copying: Copying) => Promise<StoredMedia> {
  return async (content, copying) => {
    const {
      task,
      output: { lastFrameUrl },
    } = copying;
    const storageKey = `frames/${task.id}-${task.epoch}-${newSuffix()}`;
    // A field that the vendor does not know was not sent: then the frame is ours to make.
    const isOurs =
      lastFrameUrl === undefined || task.request.unsupported.includes('return_last_frame');
    const frame = isOurs
      ? await cutInto(storageKey, content, copying)
      : await fetchInto(storageKey, { url: lastFrameUrl, maxBytes: maxImageBytes }, copying);
    const source = await sourceFromStorage(storage, frame.storageKey);
    const image = probeImage(await source.read(0, Math.min(source.sizeBytes, imageHeadBytes) - 1));
    if (image?.mediaType !== 'image/jpeg' && image?.mediaType !== 'image/png') {
      throw new MediaError('unreadable_image', 'the last frame is not a JPEG or PNG');
    }
    return { variant: 'last-frame', contentType: image.mediaType, ...frame };
  };

  async function cutInto(
    storageKey: string,
    content: StoredFile,
    { signal, task, files }: Copying,
  ): Promise<StoredFile> {
    if (cutLastFrame === undefined) throw withoutDecoder(task);
    const frame = await cutLastFrame(await storage.read(content.storageKey), signal);
    const stored = {
      storageKey,
      ...(await storage.put(storageKey, Readable.from([frame]), {
        maxBytes: maxImageBytes,
        signal,
      })),
    };
    files.push(stored);
    return stored;
  }
}

const withoutDecoder = ({ request }: Task): Error =>
  request.unsupported.includes('return_last_frame')
    ? new NoDecoder('the last frame is to be cut from the video, and this worker has no decoder')
    : new MediaError('unreadable_image', 'the vendor gave no last frame although it was asked for');

const contentTypes = { mp4: 'video/mp4', mov: 'video/quicktime' } as const;

/**
 * A key goes to the origin that the operator configured, and nowhere else: a link in a response may
 * lead anywhere.
 */
const isOfVendor = (url: string, { vendor }: Task): boolean =>
  URL.canParse(url) && new URL(url).origin === new URL(vendor.baseUrl).origin;

/** Another worker may have one: nobody's file is at fault. */
class NoDecoder extends Error {
  override readonly name = 'NoDecoder';
}

/** The vendor's response did not have it, or none came: it is asked again. */
class NoInlineFile extends Error {
  override readonly name = 'NoInlineFile';
}

/** Whose fault a failed copy is decides whether it is counted against the vendor's output. */
function classify(error: unknown): Exclude<CopyOutcome, { kind: 'stored' }> {
  const detail = describeError(error);
  if (MediaError.is(error)) return { kind: 'rejected', detail };
  if (OutboundError.is(error)) return { kind: 'unavailable', detail: `${error.code}: ${detail}` };
  if (StorageError.is(error)) {
    return {
      kind: error.code === 'too_large' ? 'rejected' : 'our_fault',
      detail: `${error.code}: ${detail}`,
    };
  }
  if (error instanceof NoInlineFile) return { kind: 'unavailable', detail };
  if (error instanceof NoDecoder) return { kind: 'our_fault', detail };
  throw error;
}
