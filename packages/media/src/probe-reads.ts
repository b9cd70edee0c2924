import { MediaError } from './media-error.ts';
import type { ProbeSource } from './probe-source.ts';
import { StorageError } from './storage.ts';

/** Enough for all headers of most files, and for the whole `moov` of many. */
const headBytes = 65_536;
/** Around a header further on: small boxes lie side by side. */
const windowBytes = 16_384;
/** A fragmented video of a quarter of an hour has as many parts. */
const mostReads = 1_000;
/** For all reads together. */
const usualDeadlineMs = 15_000;

/** A source that reads ahead. */
export interface AheadSource extends ProbeSource {
  /** These bytes, where they have been read already: small parts by the thousand cost no turn each. */
  peek(start: number, end: number): Uint8Array | undefined;
}

export interface ProbeBounds {
  readonly deadlineMs?: number;
}

/**
 * Runs `look` on a source that reads ahead, so that small parts that lie side by side cost one read;
 * that refuses a file which takes too many; and that gives the whole look one deadline: later reads
 * throw `storage_unavailable`, because so few take that long only when the storage is slow.
 */
export async function withBoundedReads<T>(
  source: ProbeSource,
  look: (source: AheadSource) => Promise<T>,
  { deadlineMs = usualDeadlineMs }: ProbeBounds = {},
): Promise<T> {
  const controller = new AbortController();
  let expire: (reason: StorageError) => void;
  const expired = new Promise<never>((_resolve, reject) => {
    expire = reject;
  });
  expired.catch(() => undefined); // most looks end before
  const timer = setTimeout(() => {
    expire(
      new StorageError('storage_unavailable', `the file could not be read within ${deadlineMs} ms`),
    );
    controller.abort();
  }, deadlineMs);
  try {
    return await look(
      readingAhead(source, (start, end) =>
        Promise.race([source.read(start, end, controller.signal), expired]),
      ),
    );
  } finally {
    clearTimeout(timer);
  }
}

function readingAhead(
  { sizeBytes }: ProbeSource,
  readThrough: (start: number, end: number) => Promise<Uint8Array>,
): AheadSource {
  let window: { start: number; bytes: Uint8Array } = { start: 0, bytes: new Uint8Array(0) };
  let reads = 0;
  const peek = (start: number, end: number): Uint8Array | undefined => {
    const at = start - window.start;
    const length = end - start + 1;
    return at >= 0 && at + length <= window.bytes.length
      ? window.bytes.subarray(at, at + length)
      : undefined;
  };
  return {
    sizeBytes,
    peek,
    async read(start, end) {
      const read = peek(start, end);
      if (read !== undefined) return read;
      reads += 1;
      if (reads > mostReads) {
        throw new MediaError('unreadable_video', `the file has more than ${mostReads} parts`);
      }
      const ahead = start + (reads === 1 ? headBytes : windowBytes) - 1;
      const bytes = await readThrough(start, Math.min(Math.max(end, ahead), sizeBytes - 1));
      window = { start, bytes };
      return bytes.subarray(0, end - start + 1);
    },
  };
}
