import {
  createSseParser,
  readUpstreamFailure,
  type Dialect,
  type UpstreamFailure,
} from '@gateway/text-dialects';
import type { Head } from './response-head.ts';

/** What the first bytes of a stream say: nothing yet, an answer, or why there will be none. */
export type Verdict = 'unclear' | 'answer' | UpstreamFailure;

/**
 * The beginning of an upstream's stream, held back until its first event shows that it is no
 * failure: until then another route may answer.
 */
export interface Opening {
  push(chunk: Buffer): Verdict;
  held(): Buffer;
}

/**
 * Comments before the first event are short; an event that is not complete by here is an answer.
 */
const mostHeldBytes = 65_536;

export function createOpening(dialect: Dialect, head: Head): Opening {
  const parser = createSseParser();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let isDocument = false;
  return {
    push(chunk) {
      isDocument ||= chunks.length === 0 && beginsDocument(chunk);
      chunks.push(chunk);
      sizeBytes += chunk.length;
      // Read on its own once it is whole: it may be an answer all the same.
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
          : 'answer';
      }
      return sizeBytes > mostHeldBytes ? 'answer' : 'unclear';
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
