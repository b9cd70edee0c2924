import type { Usage } from '../neutral.ts';
import { createLineRewriter, type LineRewriter, type RewriterOptions } from './line-rewriter.ts';
import { createStreamScan } from './stream-scan.ts';

export type PassThroughOptions = RewriterOptions;

/** Watches a stream of the client's own dialect on its way through, and changes in it what must be changed. */
export interface PassThroughScanner {
  /** Bytes to forward now: the same Buffer when nothing needs rewriting, null when there is nothing. */
  push(chunk: Buffer): Buffer | null;
  /** The upstream ended: what was held back. */
  end(): Buffer | null;
  usage(): Usage | null;
  /** The terminal event was seen: `message_stop`, `[DONE]`, or a `finish_reason` for vendors that send no `[DONE]`. */
  readonly finished: boolean;
  /** An error event was seen. */
  readonly failed: boolean;
  /** What was forwarded ends between two events: a ping may be put in. */
  readonly atBoundary: boolean;
  /** Roughly how many characters of text and JSON the model has put out, for estimates of streams that break off. */
  readonly outputCharacters: number;
}

/** A line is looked at when it is complete; one that grows past this is forwarded unseen. */
const longestLine = 16 * 1024 * 1024;

export function createPassThroughScanner(options: PassThroughOptions): PassThroughScanner {
  const scan = createStreamScan(options.dialect);
  let rewriter = createLineRewriter(options);
  let unfinished = '';
  let forwardedTail = '';

  /** The lines that are complete now; the rest stays in `unfinished`. */
  const takeLines = (text: string): string => {
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) {
      unfinished += text;
      return '';
    }
    const lines = end === text.length ? text : text.slice(0, end);
    const whole = unfinished === '' ? lines : unfinished + lines;
    unfinished = end === text.length ? '' : text.slice(end);
    scan.scan(whole);
    return whole;
  };

  /** What may be forwarded of the text; a line that is not complete is held back while lines are rewritten. */
  const rewritten = (lines: string, by: LineRewriter): string => {
    const out = rewriteLines(lines, by);
    if (!by.done && unfinished.length <= longestLine) return out;
    if (by.done) rewriter = null;
    const all = out + unfinished;
    if (!by.done) unfinished = '';
    return all;
  };

  const forward = (text: string): void => {
    forwardedTail = text.length >= 3 ? text.slice(-3) : (forwardedTail + text).slice(-3);
  };

  const push = (chunk: Buffer, text: string): Buffer | null => {
    const lines = takeLines(text);
    if (rewriter === null) {
      if (unfinished.length > longestLine) unfinished = '';
      forward(text);
      return chunk;
    }
    const out = rewritten(lines, rewriter);
    if (out === '') return null;
    forward(out);
    return out === text ? chunk : Buffer.from(out, 'latin1');
  };

  return {
    push: (chunk) => (chunk.length === 0 ? null : push(chunk, chunk.toString('latin1'))),
    end() {
      if (unfinished === '') return null;
      const last = unfinished;
      const held = rewriter === null ? '' : rewriter.rewrite(last);
      unfinished = '';
      scan.scan(last);
      if (held === '') return null;
      forward(held);
      return Buffer.from(held, 'latin1');
    },
    usage: scan.usage,
    get finished() { return scan.finished; },
    get failed() { return scan.failed; },
    get atBoundary() { return forwardedTail === '' || forwardedTail.endsWith('\n\n') || forwardedTail.endsWith('\n\r\n'); },
    get outputCharacters() { return scan.outputCharacters; },
  };
}

function rewriteLines(lines: string, { rewrite }: LineRewriter): string {
  let out = '';
  let from = 0;
  for (let end = lines.indexOf('\n') + 1; end > 0; end = lines.indexOf('\n', from) + 1) {
    out += rewrite(lines.slice(from, end));
    from = end;
  }
  return out;
}
