import type { UpstreamFailure, Usage } from '../neutral.ts';
import { createRewriting, type Rewriting, type RewriterOptions } from './line-rewriter.ts';
import { createStreamScan, type StreamScan } from './stream-scan.ts';
import { writeFailureEvent, writeResponseFailure } from './write-failure.ts';

export type PassThroughOptions = RewriterOptions;

/**
 * Watches a stream of the client's own dialect on its way through, and changes in it what must be
 * changed.
 */
export interface PassThroughScanner {
  /**
   * Bytes to forward now: the same Buffer when nothing needs rewriting, null when there is nothing.
   */
  push(chunk: Buffer): Buffer | null;
  /** The upstream ended: what was held back. */
  end(): Buffer | null;
  usage(): Usage | null;
  /** What tells the client of a failure behind what it has got so far. */
  failure(failure: UpstreamFailure, requestId: string): string;
  /**
   * The terminal event was seen: `message_stop`, `[DONE]`, or a `finish_reason` for vendors that
   * send no `[DONE]`.
   */
  readonly finished: boolean;
  /** The last event was seen: `message_stop` or `[DONE]`. */
  readonly ended: boolean;
  /** An error event was seen. */
  readonly failed: boolean;
  /** What was forwarded ends between two events: a ping may be put in. */
  readonly atBoundary: boolean;
  /**
   * Roughly how many bytes of text and JSON the model has put out, for estimates of streams that
   * break off.
   */
  readonly outputBytes: number;
}

/** A line is looked at when it is complete; one that grows past this is forwarded unseen. */
const longestLine = 16 * 1024 * 1024;
/** Of such a line: the type of its event stands there. */
const longestBeginning = 256;
/**
 * Text that waits to be looked at. Looking at many chunks at once takes 0.25 to 0.45 µs a chunk, at
 * each 0.55 to 0.6, and code that has left the nearest cache many times that.
 */
const scanAtBytes = 4_096;

/** What a stream says of itself, found out when somebody asks, or when enough has gathered. */
interface Watch {
  see(chunk: Buffer): void;
  /** Looks at everything up to here; an unfinished line waits, except at the end. */
  scanned(atEnd?: boolean): StreamScan;
}

/**
 * Chunks that wait are copied: each stands in a page of its own, and one that is still held when V8
 * collects lives on until it collects everything. A thousand streams of 10 chunks/s grew to 550 MB
 * in ten minutes that way.
 */
function createWatch(scan: StreamScan): Watch {
  let waiting: Buffer | undefined;
  let size = 0;
  let unfinished = '';
  const scanned = (atEnd = false): StreamScan => {
    if (size === 0 && !atEnd) return scan;
    const text = waiting?.toString('latin1', 0, size) ?? '';
    size = 0;
    return read(text, atEnd);
  };
  const read = (text: string, atEnd = false): StreamScan => {
    // Only new text is searched: a long line in many chunks is joined once, when it is complete.
    const end = atEnd ? text.length : text.lastIndexOf('\n') + 1;
    if (end > 0 || atEnd) {
      scan.scan(unfinished + text.slice(0, end));
      unfinished = '';
    }
    unfinished += text.slice(end);
    if (unfinished.length > longestLine) {
      scan.scanBeginning?.(unfinished.slice(0, longestBeginning));
      unfinished = '';
    }
    return scan;
  };
  return {
    see(chunk) {
      if (size + chunk.length > scanAtBytes) scanned();
      if (chunk.length > scanAtBytes) {
        read(chunk.toString('latin1'));
        return;
      }
      waiting ??= Buffer.allocUnsafeSlow(scanAtBytes);
      waiting.set(chunk, size);
      size += chunk.length;
    },
    scanned,
  };
}

export const createPassThroughScanner = (options: PassThroughOptions): PassThroughScanner =>
  new Scanner(options);

class Scanner implements PassThroughScanner {
  readonly #options: PassThroughOptions;
  readonly #watch: Watch;
  #rewriting: Rewriting | null;
  #lastForwarded: Buffer | undefined;
  #tail = '';

  constructor(options: PassThroughOptions) {
    this.#options = options;
    this.#watch = createWatch(createStreamScan(options.dialect));
    this.#rewriting = createRewriting(options);
  }

  push(chunk: Buffer): Buffer | null {
    if (chunk.length === 0) return null;
    this.#watch.see(chunk);
    if (this.#rewriting === null) return this.#forward(chunk);
    const out = this.#rewriting.push(chunk);
    if (this.#rewriting.isOver()) this.#rewriting = null;
    return out === null ? null : this.#forward(out);
  }

  end(): Buffer | null {
    this.#watch.scanned(true);
    const held = this.#rewriting?.end() ?? null;
    return held === null ? null : this.#forward(held);
  }

  usage(): Usage | null {
    return this.#watch.scanned().usage();
  }

  failure(failure: UpstreamFailure, requestId: string): string {
    const { dialect, rewriteModel, response: changes } = this.#options;
    const { place } = this.#watch.scanned();
    if (place === undefined) return writeFailureEvent({ dialect, failure, requestId });
    const { sequence, response } = place;
    return writeResponseFailure(failure, {
      sequence,
      response: response && {
        ...response,
        ...changes?.settings,
        ...(rewriteModel !== null && { model: rewriteModel }),
      },
    });
  }

  get finished(): boolean {
    return this.#watch.scanned().finished;
  }
  get ended(): boolean {
    return this.#watch.scanned().ended;
  }
  get failed(): boolean {
    return this.#watch.scanned().failed;
  }
  get atBoundary(): boolean {
    return isBoundary(tailOf(this.#lastForwarded, this.#tail));
  }
  get outputBytes(): number {
    return this.#watch.scanned().outputBytes;
  }

  #forward(bytes: Buffer): Buffer {
    if (bytes.length < 3) {
      this.#tail = (tailOf(this.#lastForwarded, this.#tail) + bytes.toString('latin1')).slice(-3);
    }
    this.#lastForwarded = bytes;
    return bytes;
  }
}

/**
 * The last characters of what was forwarded; short pieces are put together with what stood before
 * them.
 */
function tailOf(last: Buffer | undefined, tail: string): string {
  if (last === undefined) return '';
  return last.length < 3 ? tail : last.toString('latin1', last.length - 3);
}

const isBoundary = (tail: string): boolean =>
  tail === '' || tail.endsWith('\n\n') || tail.endsWith('\n\r\n');
