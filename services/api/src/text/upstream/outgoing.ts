import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { keptBySocketBytes } from '../../bodies/index.ts';

export interface OutgoingBody {
  readonly headers: string[];
  /** Piece by piece. */
  readonly body: readonly Buffer[];
  /** The socket has written all of the body; not called where that is not certain. */
  readonly onSent?: () => void;
}

/** Undici asks for what follows a piece when the socket has written that, or is closed. */
export function outgoing({
  headers,
  body,
  onSent,
}: OutgoingBody): Pick<Dispatcher.DispatchOptions, 'headers' | 'body'> {
  const [only] = body;
  if (body.length === 1 && only !== undefined && (onSent === undefined || isKept(only))) {
    return { headers, body: only };
  }
  const sizeBytes = body.reduce((sum, { length }) => sum + length, 0);
  return {
    headers: [...headers, 'content-length', String(sizeBytes)],
    // It takes iterables; its types do not say so.
    body: piecesOf(body, onSent) as Iterable<Buffer> as unknown as Readable,
  };
}

const isKept = ({ length }: Buffer): boolean => length <= keptBySocketBytes;

function* piecesOf(body: readonly Buffer[], onSent: (() => void) | undefined): Generator<Buffer> {
  yield* body;
  onSent?.();
}
