import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from '@jest/globals';
import { mismatchesOf } from './documented-responses.ts';

const watched = new Set<number>();
const found: string[] = [];
let isListening = false;

/**
 * From now on each whole response of this server, which runs in this process, must be as the OpenAPI
 * document says: otherwise `expectDocumentedResponses` fails. Returns how to stop.
 */
export function watchResponses(url: string): () => void {
  const port = Number(new URL(url).port);
  watched.add(port);
  if (!isListening) {
    subscribe('http.server.request.start', (message) => {
      observe(message as Exchange);
    });
  }
  isListening = true;
  return () => {
    watched.delete(port);
  };
}

/** Fails for the responses so far: every stage calls it when it closes, after the last response. */
export function expectDocumentedResponses(): void {
  expect(found.splice(0)).toEqual([]);
}

/**
 * The same for a gateway in other processes, as whoever calls `fetch` sees it: customers, and the
 * clients of the vendors' libraries. Returns how to stop.
 */
export function watchFetches(baseUrl: string): () => void {
  const usual = globalThis.fetch;
  globalThis.fetch = async (...call) => {
    const response = await usual(...call);
    const [asked, { method } = {}] = call;
    const { origin, pathname, search } = new URL(asked instanceof Request ? asked.url : asked);
    if (origin === new URL(baseUrl).origin) {
      const seen = {
        method: method ?? (asked instanceof Request ? asked.method : 'GET'),
        path: `${pathname}${search}`,
        status: response.status,
        headers: Object.fromEntries(response.headers),
      };
      const isJson = seen.headers['content-type']?.startsWith('application/json') === true;
      // Half a response of a process that was killed is no response; who asked for it is told.
      const body = isJson
        ? await response
            .clone()
            .text()
            .catch(() => undefined)
        : '';
      if (body !== undefined) found.push(...mismatchesOf({ ...seen, body: () => body }));
    }
    return response;
  };
  return () => {
    globalThis.fetch = usual;
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Write = (chunk?: unknown, encoding?: unknown, done?: unknown) => unknown;

/** Seen at the server, so that it does not matter which client a test uses. */
function observe({ request, response }: Exchange): void {
  if (!watched.has(request.socket.localPort ?? 0)) return;
  const { method = '', url: path = '' } = request;
  const chunks: Buffer[] = [];
  for (const name of ['write', 'end'] as const) {
    const usual = response[name].bind(response) as Write;
    response[name] = ((chunk, encoding, done) => {
      if (typeof chunk === 'string') {
        chunks.push(
          Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'),
        );
      } else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
      return usual(chunk, encoding, done);
    }) as Write as never;
  }
  response.once('finish', () => {
    const headers = headersOf(response);
    found.push(
      ...mismatchesOf({
        method,
        path,
        status: response.statusCode,
        headers,
        body: () => Buffer.concat(chunks).toString(),
      }),
    );
  });
}

/** As they were sent: a response whose head was written at once has no headers to ask for. */
function headersOf(response: ServerResponse): Record<string, string> {
  const [, ...lines] = ((response as unknown as { readonly _header?: string })._header ?? '').split(
    '\r\n',
  );
  return Object.fromEntries(
    lines
      .filter((line) => line !== '')
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  );
}
