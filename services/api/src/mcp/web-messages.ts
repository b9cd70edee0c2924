import type { ReadableStreamDefaultReader } from 'node:stream/web';
import type { Request as Asking, Response as Answering } from 'express';
import { guarded } from '@gateway/runtime';

/** What the protocol reads of a request. */
const readHeaders: readonly string[] = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
];
const bothKinds = 'application/json, text/event-stream';

/** A request as the library takes it, whose body was read before. */
export function webRequestOf(request: Asking, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const name of readHeaders) {
    const value = request.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  // Who names no kind takes any.
  if (['', '*/*'].includes(request.get('accept') ?? '')) headers.set('accept', bothKinds);
  return new Request('http://localhost/mcp', { method: 'POST', headers, signal });
}

const readerOf = ({ body }: Response): ReadableStreamDefaultReader<Uint8Array> | undefined =>
  body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;

/** Aborted once the client has left, whenever that is: also before there is anything to send. */
export function goneSignalOf(response: Answering): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    gone.abort(new Error('the client has left'));
  };
  response.once('close', guarded(leave, leave));
  if (response.destroyed) leave();
  return gone.signal;
}

/** Sends what the library answers as it comes; a client that leaves ends the work for it. */
export async function sendWebResponse(
  answered: Response,
  { response, gone }: { readonly response: Answering; readonly gone: AbortSignal },
): Promise<void> {
  response.status(answered.status).set('cache-control', 'no-store');
  const type = answered.headers.get('content-type');
  if (type !== null) response.set('content-type', type);
  if (type === 'text/event-stream') response.set('x-accel-buffering', 'no');
  const reader = readerOf(answered);
  if (reader !== undefined) {
    const cancel = (): void => {
      reader.cancel().catch(() => undefined);
    };
    if (gone.aborted) cancel();
    gone.addEventListener('abort', cancel);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (!response.destroyed) response.write(value);
    }
  }
  response.end();
}
