import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { decideRange, type BodyDecision } from './range.ts';
import { StorageError, type MediaStorage } from './storage.ts';

/** What the database knows about a stored file. It never changes under its key. */
export interface MediaObject {
  readonly key: string;
  readonly sizeBytes: number;
  /** Lower-case hex; becomes the strong ETag, the same for every token. */
  readonly sha256: string;
  readonly contentType: string;
  readonly lastModified: Date;
  /** Offered to who saves the file, for instance `video_01h….mp4`. */
  readonly fileName: string;
}

export interface ServeMedia {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly storage: MediaStorage;
  readonly object: MediaObject;
  /** How long the address stays valid; copies are kept no longer, and an hour at most. */
  readonly maxAgeSeconds: number;
  /** Writes the documented error body. The headers that belong to the failure are already set. */
  readonly sendError: (code: 'precondition_failed' | 'range_not_satisfiable') => void;
  /** A client that takes no byte for this long is cut off. 60 s when left out. */
  readonly idleTimeoutMs?: number;
}

/** For metrics and the log. `source_failed` needs somebody's attention, `client_gone` does not. */
export interface ServedMedia {
  readonly status: number;
  readonly bytesSent: number;
  readonly outcome: 'complete' | 'client_gone' | 'source_failed';
  readonly error?: unknown;
}

const defaultIdleTimeoutMs = 60_000;
const longestMaxAgeSeconds = 3_600;

/** Types that a browser may render in place of ours; anything else is offered as bytes. */
const servedTypes = [
  'video/mp4',
  'video/quicktime',
  'video/webm',
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'audio/mpeg',
  'audio/wav',
];

/** Any page may play the video: the token is the permission, and no cookie is involved. */
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Content-Range, Accept-Ranges, Content-Length, ETag',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/**
 * Responds to a GET or HEAD of a stored file, with ranges and validators by RFC 9110. Throws a
 * StorageError while nothing has been sent; from the first byte on a failure destroys the
 * connection, so that a short response never looks complete.
 */
export async function serveMedia(serving: ServeMedia): Promise<ServedMedia> {
  const { request, response, object } = serving;
  const decision = decideRange({
    method: request.method ?? '',
    headers: conditionsOf(request),
    etag: etagOf(object),
    ...object,
  });
  if (decision.status === 412 || decision.status === 416) return refuse(decision.status, serving);
  if (decision.status === 304) return finish(response, 304, validators(serving));
  const headers = {
    ...validators(serving),
    ...representation(serving),
    ...lengths(decision, object.sizeBytes),
  };
  if (request.method === 'HEAD') return finish(response, decision.status, headers);
  return send(serving, decision, headers);
}

function conditionsOf({ headers }: IncomingMessage) {
  return {
    range: headers.range,
    ifRange: headers['if-range'] as string | undefined,
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    ifUnmodifiedSince: headers['if-unmodified-since'],
  };
}

function validators({ object, maxAgeSeconds }: ServeMedia): OutgoingHttpHeaders {
  const maxAge = Math.max(0, Math.min(longestMaxAgeSeconds, Math.floor(maxAgeSeconds)));
  return {
    etag: etagOf(object),
    'last-modified': object.lastModified.toUTCString(),
    'cache-control': `private, no-transform, max-age=${maxAge}`,
    ...crossOrigin,
  };
}

function representation({ request, object }: ServeMedia): OutgoingHttpHeaders {
  const isDownload =
    new URL(request.url ?? '/', 'http://localhost').searchParams.get('download') === '1';
  return {
    'content-type': servedTypes.includes(object.contentType)
      ? object.contentType
      : 'application/octet-stream',
    'content-disposition': contentDisposition(
      isDownload ? 'attachment' : 'inline',
      object.fileName,
    ),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; sandbox",
  };
}

/** A plain name for everybody, and the exact one for who reads RFC 5987. */
function contentDisposition(kind: 'inline' | 'attachment', fileName: string): string {
  const plain = fileName.replace(/[^\w.-]/g, '_');
  const exact = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}

function lengths(decision: BodyDecision, sizeBytes: number): OutgoingHttpHeaders {
  if (decision.status === 200) return { 'content-length': sizeBytes };
  const { start, end } = decision;
  return {
    'content-length': end - start + 1,
    'content-range': `bytes ${start}-${end}/${sizeBytes}`,
  };
}

const etagOf = (object: MediaObject): string => `"${object.sha256}"`;

function refuse(status: 412 | 416, { response, object, sendError }: ServeMedia): ServedMedia {
  const headers = {
    ...crossOrigin,
    'cache-control': 'no-store',
    ...(status === 416 ? { 'content-range': `bytes */${object.sizeBytes}` } : {}),
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendError(status === 412 ? 'precondition_failed' : 'range_not_satisfiable');
  return { status, bytesSent: 0, outcome: 'complete' };
}

function finish(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
): ServedMedia {
  response.writeHead(status, headers).end();
  return { status, bytesSent: 0, outcome: 'complete' };
}

async function send(
  serving: ServeMedia,
  decision: BodyDecision,
  headers: OutgoingHttpHeaders,
): Promise<ServedMedia> {
  const { request, response, storage, object, idleTimeoutMs = defaultIdleTimeoutMs } = serving;
  const { status } = decision;
  const left = new AbortController();
  const leave = (): void => {
    left.abort();
  };
  // a response that waits behind another on its connection does not hear of it
  request.socket.once('close', leave);
  if (request.socket.destroyed || response.destroyed) leave();
  const range = status === 206 ? { start: decision.start, end: decision.end } : undefined;
  try {
    const source = await storage
      .lend(object.key, range, { signal: left.signal })
      .catch((error: unknown) => {
        // whoever asked is gone: nobody is there to be told
        if (left.signal.aborted) return undefined;
        throw error;
      });
    if (source === undefined) return { status, bytesSent: 0, outcome: 'client_gone' };
    response.setTimeout(idleTimeoutMs, () => response.destroy());
    response.writeHead(status, headers);
    return {
      status,
      ...(await passOn(source, {
        response,
        left: left.signal,
        expectedBytes: Number(headers['content-length']),
      })),
    };
  } finally {
    request.socket.off('close', leave);
  }
}

interface Passage {
  readonly response: ServerResponse;
  readonly left: AbortSignal;
  readonly expectedBytes: number;
}

/**
 * Passes exactly the announced number of bytes, or cuts the connection: ending early would hand the
 * client a short file as a whole one.
 */
async function passOn(
  source: AsyncIterable<Uint8Array>,
  { response, left, expectedBytes }: Passage,
): Promise<Omit<ServedMedia, 'status'>> {
  let bytesSent = 0;
  let blame: ServedMedia['outcome'] = 'source_failed';
  const write = createWriter(response, left);
  response.on('error', () => undefined); // its write tells
  try {
    for await (const piece of source) {
      if (bytesSent + piece.length > expectedBytes) {
        throw new StorageError(
          'storage_unavailable',
          `the stored object is longer than its ${expectedBytes} bytes`,
        );
      }
      blame = 'client_gone';
      await write(piece);
      blame = 'source_failed';
      bytesSent += piece.length;
    }
    if (bytesSent < expectedBytes) {
      throw new StorageError(
        'storage_unavailable',
        `the stored object ended after ${bytesSent} of ${expectedBytes} bytes`,
      );
    }
    blame = 'client_gone';
    await write(undefined);
    return { bytesSent, outcome: 'complete' };
  } catch (error) {
    response.destroy();
    return { bytesSent, outcome: left.aborted ? 'client_gone' : blame, error };
  }
}

/**
 * Writes one piece, or the end, and settles when it has left the process: only then may its memory
 * be filled again. Rejects when the client goes, also where Node never responds for what waits
 * behind another response on the same connection.
 */
function createWriter(
  response: ServerResponse,
  left: AbortSignal,
): (piece: Uint8Array | undefined) => Promise<void> {
  let giveUp = (): void => undefined;
  left.addEventListener(
    'abort',
    () => {
      giveUp();
    },
    { once: true },
  );
  return (piece) =>
    new Promise((resolve, reject) => {
      giveUp = () => {
        reject(new Error('the client is gone'));
      };
      const done = (error?: Error | null): void => {
        // of a connection that was cut meanwhile Node says that the write went well
        if (error) reject(error);
        else if (left.aborted || response.destroyed || response.socket?.destroyed === true) {
          giveUp();
        } else resolve();
      };
      if (left.aborted) giveUp();
      else if (piece === undefined) response.end(done);
      else response.write(piece, done);
    });
}
