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
  /** The head is the response's, in which a failure may say when to come again. */
  push(chunk: Buffer, head: ResponseHead): Verdict;
  held(): Buffer;
}

/** Comments before the first event are short; an event still incomplete here is a completion. */
const mostHeldBytes = 65_536;

export function createStreamOpening(dialect: Dialect): StreamOpening {
  const parser = createSseParser();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let isDocument = false;
  return {
    push(chunk, head) {
      isDocument ||= chunks.length === 0 && beginsDocument(chunk);
      chunks.push(chunk);
      sizeBytes += chunk.length;
      // Read on its own once it is whole: it may be a completion all the same.
      if (isDocument) return 'unclear';
      const [first] = parser.push(chunk);
      if (first !== undefined) {
        const failure = failureIn(first);
        return failure === undefined
          ? 'completion'
          : readUpstreamFailure({
              dialect,
              status: head.status,
              headers: head.headers,
              body: Buffer.from(failure),
            });
      }
      return sizeBytes > mostHeldBytes ? 'completion' : 'unclear';
    },
    held: () => Buffer.concat(chunks),
  };
}

/** JSON or HTML, whatever its content-type says; lines of events begin with a letter or a colon. */
export const beginsDocument = (bytes: Buffer): boolean =>
  /^\s*[[{<]/.test(bytes.toString('latin1', 0, 64));

interface FirstEvent {
  readonly type?: unknown;
  readonly object?: unknown;
  readonly error?: unknown;
  readonly response?: { readonly error?: unknown } | null;
}

/** The failure as JSON; undefined for an event that tells none. */
function failureIn({
  event,
  data,
}: {
  event: string | undefined;
  data: string;
}): string | undefined {
  if (event === 'error') return data;
  if (!data.includes('"error"')) return undefined;
  try {
    return toldIn((JSON.parse(data) ?? {}) as FirstEvent, data);
  } catch {
    return undefined;
  }
}

function toldIn({ type, object, error, response }: FirstEvent, data: string): string | undefined {
  if (type === 'response.failed') return JSON.stringify({ error: response?.error });
  const fails = type === 'error' || object === 'error' || (error ?? null) !== null;
  return fails ? data : undefined;
}
