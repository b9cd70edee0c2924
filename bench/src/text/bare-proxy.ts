// Undici puts a wrapper around the newer handlers, and every microsecond here is measured.
/* eslint-disable @typescript-eslint/no-deprecated -- see above */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool, type Dispatcher } from 'undici';
import { announce } from './child.ts';

/**
 * The plain-Node proxy that the gateway is compared with: method, path, headers and body go up,
 * status, headers and chunks come down, over kept-alive connections, with back-pressure and aborts.
 * It checks, counts and logs nothing.
 */

const [, , upstreamUrl = ''] = process.argv;
const pool = new Pool(upstreamUrl, { keepAliveTimeout: 60_000 });
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'host',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);

const server = createServer((request, response) => {
  pool.dispatch(
    {
      method: request.method as Dispatcher.HttpMethod,
      path: request.url ?? '/',
      headers: forwarded(request.rawHeaders),
      body: request,
    },
    relay(request, response),
  );
});
server.keepAliveTimeout = 120_000;
announce(server);

/** The raw handler: no stream, no promise, no parsed headers between the two sockets. */
function relay(_request: IncomingMessage, response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onConnect: (abort) => {
      response.once('close', () => {
        if (!response.writableFinished) abort();
      });
    },
    onHeaders: (status, headers, resume) => {
      if (status < 200) return true;
      response.writeHead(status, forwarded(headers.map(String)));
      response.on('drain', resume);
      return true;
    },
    onData: (chunk) => response.write(chunk),
    onComplete: () => {
      response.end();
    },
    onError: (error) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end(error.message);
    },
  };
}

function forwarded(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    if (!hopByHop.has(name.toLowerCase())) kept.push(name, raw[index + 1] ?? '');
  }
  return kept;
}
