import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressInfo } from 'node:net';
import type { Health } from './health.ts';
import type { Part } from './lifecycle.ts';
import type { Log } from './logger.ts';
import { createOpenItems, type Placed } from './open-items.ts';
import {
  plainErrorBody,
  refuseConnection,
  type RefuseConnectionOptions,
} from './refuse-connection.ts';

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly handler: RequestListener;
  readonly health: Health;
  readonly log: Log;
  /** Called when a stop begins, so that answers without an end of their own can be ended. */
  readonly onStopping?: () => void;
  /** Open answers get this long to finish at a stop. */
  readonly drainMs?: number;
  /**
   * Called when that time is over, so that answers still open can be ended properly before their
   * connections are cut.
   */
  readonly endOpenAnswers?: () => void;
  /**
   * The error body for a request that no handler sees, or not whole; the plain one when left out.
   */
  readonly refusalBody?: RefuseConnectionOptions['bodyOf'];
  readonly timeouts?: Partial<HttpTimeouts>;
}

/** How long a client may take to say what it wants. */
export interface HttpTimeouts {
  readonly headersMs: number;
  /** For headers and body together. */
  readonly requestMs: number;
  /** How often connections are looked at: the two above may be exceeded by so much. */
  readonly checkEveryMs: number;
}

const usualTimeouts: HttpTimeouts = { headersMs: 15_000, requestMs: 300_000, checkEveryMs: 5_000 };

const usualDrainMs = 10_000;
const sweepMs = 50;
/** Last words need a moment to leave. */
const lastWordsMs = 500;

/**
 * A listening server as a part: says where it listens, and at a stop refuses new work, then drains.
 */
export function httpServerPart({
  host,
  port,
  handler,
  health,
  log,
  onStopping,
  drainMs = usualDrainMs,
  endOpenAnswers,
  refusalBody = plainErrorBody,
  timeouts,
}: HttpServerOptions): Part & { url(): string } {
  const open = createOpenItems<Placed & { readonly response: ServerResponse }>();
  const latest = new WeakMap<Duplex, Latest>();
  let stopping = false;
  const { headersMs, requestMs, checkEveryMs } = { ...usualTimeouts, ...timeouts };
  const server = createServer(
    {
      requestTimeout: requestMs,
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkEveryMs,
      keepAliveTimeout: 65_000,
    },
    (request, response) => {
      noteLatest(latest, request, response);
      const answer = { response, place: -1 };
      open.add(answer);
      response.on('close', () => {
        open.remove(answer);
      });
      if (stopping) sayLast(response);
      handler(request, response);
    },
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseConnection({ error, socket, latest: latest.get(socket), bodyOf: refusalBody });
  });
  return {
    name: 'http server',
    url: () =>
      `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${(server.address() as AddressInfo).port}`,
    async start() {
      await listen(server, { host, port });
      log.info('listening', { host, port: (server.address() as AddressInfo).port });
    },
    async stop() {
      health.drain();
      stopping = true;
      for (const { response } of open.all()) sayLast(response);
      onStopping?.();
      const closed = new Promise<void>((resolve) =>
        server.close(() => {
          resolve();
        }),
      );
      // A kept-alive connection becomes idle when its answer ends, not before.
      const sweep = setInterval(() => {
        server.closeIdleConnections();
      }, sweepMs);
      const end = setTimeout(() => {
        endOpenAnswers?.();
      }, drainMs);
      const force = setTimeout(
        () => {
          server.closeAllConnections();
        },
        drainMs + (endOpenAnswers === undefined ? 0 : lastWordsMs),
      );
      await closed;
      clearInterval(sweep);
      clearTimeout(end);
      clearTimeout(force);
    },
  };
}

interface Latest {
  response: ServerResponse;
  path: string;
}

/**
 * One entry for each connection, filled in anew: a weak table that changes with every request costs
 * the collector more than the look.
 */
function noteLatest(
  latest: WeakMap<Duplex, Latest>,
  { socket, url = '' }: IncomingMessage,
  response: ServerResponse,
): void {
  const known = latest.get(socket);
  if (known === undefined) latest.set(socket, { response, path: url });
  else [known.response, known.path] = [response, url];
}

/**
 * A client that is not told would send its next request on a connection that is just being closed.
 */
function sayLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `port ${port} is in use: set PORT to a free one, or stop the program that holds it`,
            )
          : error,
      );
    });
    server.listen(port, host, resolve);
  });
}
