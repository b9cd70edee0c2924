import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressInfo } from 'node:net';
import type { Health } from './health.ts';
import type { Part } from '../lifecycle/part.ts';
import type { Log } from '../log.ts';
import { createOpenItems, type Placed } from '../open-items.ts';
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

interface OpenResponse extends Placed {
  readonly response: ServerResponse;
}

/**
 * A listening server as a part: says where it listens, and at a stop refuses new work, then drains.
 */
export function httpServerPart(options: HttpServerOptions): Part & { url(): string } {
  const { host, port, handler, health, log, onStopping } = options;
  const open = createOpenItems<OpenResponse>();
  const latest = new WeakMap<Duplex, Latest>();
  let isStopping = false;
  const server = createServer(serverTimeouts(options.timeouts), (request, response) => {
    noteLatest(latest, request, response);
    const item = { response, place: -1 };
    open.add(item);
    response.on('close', () => {
      open.remove(item);
    });
    if (isStopping) sayLast(response);
    handler(request, response);
  });
  const bodyOf = options.refusalBody ?? plainErrorBody;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseConnection({ error, socket, latest: latest.get(socket), bodyOf });
  });
  const portNow = (): number => (server.address() as AddressInfo).port;
  return {
    name: 'http server',
    url: () => `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${portNow()}`,
    async start() {
      await listen(server, { host, port });
      log.info('listening', { host, port: portNow() });
    },
    async stop() {
      health.drain();
      isStopping = true;
      for (const { response } of open.all()) sayLast(response);
      onStopping?.();
      await drain(server, options);
    },
  };
}

function serverTimeouts(timeouts: HttpServerOptions['timeouts']): ServerOptions {
  const { headersMs, requestMs, checkEveryMs } = { ...usualTimeouts, ...timeouts };
  return {
    requestTimeout: requestMs,
    headersTimeout: headersMs,
    connectionsCheckingInterval: checkEveryMs,
    keepAliveTimeout: 65_000,
  };
}

/** Closes the server: open responses get their time, then their connections are cut. */
async function drain(
  server: Server,
  { drainMs = usualDrainMs, endOpenAnswers }: HttpServerOptions,
): Promise<void> {
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      resolve();
    }),
  );
  // A kept-alive connection becomes idle when its response ends, not before.
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
