import {
  createSseParser,
  readUpstreamFailure,
  type Dialect,
  type UpstreamFailure,
} from '@gateway/text-dialects';
import type { ResponseHead } from './response-head.ts';

/** What the first bytes of a stream say: nothing yet, a completion, or why there will be none. */
export type Verdict = 'unclear' | 'completion' | UpstreamFailure;

/**
 * The beginning of an upstream's stream, held back until its first event shows that it is no
 * failure: until then another route may be tried.
 */
export interface StreamOpening {
  push(chunk: Buffer): Verdict;
  held(): Buffer;
}

/** Comments before the first event are short; an event still incomplete here is a completion. */
const mostHeldBytes = 65_536;

export function createStreamOpening(dialect: Dialect, head: ResponseHead): StreamOpening {
  const parser = createSseParser();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let isDocument = false;
  return {
    push(chunk) {
      isDocument ||= chunks.length === 0 && beginsDocument(chunk);
      chunks.push(chunk);
      sizeBytes += chunk.length;
      // Read on its own once it is whole: it may be a completion all the same.
      if (isDocument) return 'unclear';
      const [first] = parser.push(chunk);
      if (first !== undefined) {
        return failureIn(first)
          ? readUpstreamFailure({
              dialect,
              status: head.status,
              headers: head.headers,
              body: Buffer.from(first.data),
            })
          : 'completion';
      }
      return sizeBytes > mostHeldBytes ? 'completion' : 'unclear';
    },
    held: () => Buffer.concat(chunks),
  };
}

/** JSON or HTML, whatever its content-type says; lines of events begin with a letter or a colon. */
export const beginsDocument = (bytes: Buffer): boolean =>
  /^\s*[[{<]/.test(bytes.toString('latin1', 0, 64));

function failureIn({ event, data }: { event: string | undefined; data: string }): boolean {
  if (event === 'error') return true;
  if (!data.includes('"error"')) return false;
  try {
    const body = JSON.parse(data) as { type?: unknown; object?: unknown; error?: unknown } | null;
    return body?.type === 'error' || body?.object === 'error' || (body?.error ?? null) !== null;
  } catch {
    return false;
  }
}
