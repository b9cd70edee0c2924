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
import { countUnexpected } from '../faults/count.ts';
import type { Health } from './health.ts';
import type { Part } from '../lifecycle/part.ts';
import type { Log } from '../log.ts';
import { createOpenItems, type Placed } from '../open-items.ts';
import {
  plainErrorBody,
  refuseConnection,
  type RefuseConnectionOptions,
} from './refuse-connection.ts';
import { serveHalfOpen } from './half-open.ts';
import { hostFault, refuseRequest, unknownExpectation } from './refuse-request.ts';

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly handler: RequestListener;
  readonly health: Health;
  readonly log: Log;
  /** Called when a stop begins, so that responses without an end of their own can be ended. */
  readonly onStopping?: () => void;
  /** Open responses get this long to finish at a stop. */
  readonly drainMs?: number;
  /**
   * Called when that time is over, so that responses still open can be ended properly before their
   * connections are cut.
   */
  readonly endOpenResponses?: () => void;
  /**
   * The error body for a request that no handler sees, or not whole; the plain one when left out.
   */
  readonly refusalBody?: RefuseConnectionOptions['bodyOf'];
  readonly timeouts?: Partial<HttpTimeouts>;
  /** Connections at once; further ones are dropped. No limit when left out. */
  readonly maxConnections?: number;
  /** Where several processes serve one port, this one is only its own. */
  readonly isOwn?: boolean;
  /** The setting that its port comes from, for messages. Default: PORT. */
  readonly portSetting?: string;
  /**
   * Who says 100 Continue to a client that asks before it sends its body: the server at once, or
   * the handler, once it knows that it wants the body.
   */
  readonly continues?: 'at once' | 'by handler';
}

/** How long a client may take to say what it wants. */
export interface HttpTimeouts {
  readonly headersMs: number;
  /** For headers and body together. */
  readonly requestMs: number;
  /** Between two requests of a connection. */
  readonly idleMs: number;
  /** How often connections are looked at: the two above may be exceeded by so much. */
  readonly checkEveryMs: number;
}

const usualTimeouts: HttpTimeouts = {
  headersMs: 15_000,
  requestMs: 300_000,
  idleMs: 65_000,
  checkEveryMs: 5_000,
};

/**
 * So many connections wait for a busy process to take them; with Node's 511 the system drops the
 * others' first words, which come again after one, three and seven seconds. Linux allows 4,096 unless
 * it is told otherwise (`net.core.somaxconn`).
 */
const mostWaiting = 4_096;
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
  const { host, port, handler, health, log, onStopping, portSetting = 'PORT' } = options;
  const open = createOpenItems<OpenResponse>();
  const latest = new WeakMap<Duplex, Latest>();
  const endResponse = responseErrors(log);
  let isStopping = false;
  const bodyOf = options.refusalBody ?? plainErrorBody;
  const take: RequestListener = (request, response) => {
    noteLatest(latest, request, response);
    const item = { response, place: -1 };
    open.add(item);
    response.on('close', () => {
      open.remove(item);
    });
    response.on('error', endResponse);
    if (isStopping) sayLast(response);
    const fault = hostFault(request);
    if (fault !== undefined) {
      refuseRequest(request, response, { error: fault, bodyOf });
      return;
    }
    try {
      handler(request, response);
    } catch (error) {
      noteUnexpected(log, error);
      response.destroy();
    }
  };
  const server = createServer(serverTimeouts(options.timeouts), take);
  if (options.continues === 'by handler') server.on('checkContinue', take);
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections;
  serveHalfOpen(server, (socket) => latest.get(socket)?.response);
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    refuseRequest(request, response, { error: unknownExpectation(request), bodyOf });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    try {
      refuseConnection({ error, socket, latest: latest.get(socket), bodyOf });
    } catch (thrown) {
      noteUnexpected(log, thrown);
      socket.destroy();
    }
  });
  const portNow = (): number => (server.address() as AddressInfo).port;
  return {
    name: 'http server',
    url: () => `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${portNow()}`,
    async start() {
      await listen(server, { host, port, portSetting, exclusive: options.isOwn ?? false });
      log.info('listening', { host, port: portNow(), setting: portSetting });
    },
    async stop() {
      health.enter('draining');
      isStopping = true;
      for (const { response } of open.all()) sayLast(response);
      onStopping?.();
      await drain(server, options);
    },
  };
}

function serverTimeouts(timeouts: HttpServerOptions['timeouts']): ServerOptions {
  const { headersMs, requestMs, idleMs, checkEveryMs } = { ...usualTimeouts, ...timeouts };
  return {
    requestTimeout: requestMs,
    headersTimeout: headersMs,
    connectionsCheckingInterval: checkEveryMs,
    keepAliveTimeout: idleMs,
    // Node would respond without a body; we respond ourselves
    requireHostHeader: false,
  };
}

/** Closes the server: open responses get their time, then their connections are cut. */
async function drain(
  server: Server,
  { drainMs = usualDrainMs, endOpenResponses }: HttpServerOptions,
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
    endOpenResponses?.();
  }, drainMs);
  const force = setTimeout(
    () => {
      server.closeAllConnections();
    },
    drainMs + (endOpenResponses === undefined ? 0 : lastWordsMs),
  );
  await closed;
  clearInterval(sweep);
  clearTimeout(end);
  clearTimeout(force);
}

/**
 * A response that is used wrongly, say written to after its end, emits what nobody else hears.
 * Writing to one whose client has left is no mistake.
 */
function responseErrors(log: Log): (this: ServerResponse, error: NodeJS.ErrnoException) => void {
  return function onError(error) {
    if (error.code === 'ERR_STREAM_DESTROYED') return;
    noteUnexpected(log, error);
    this.destroy();
  };
}

function noteUnexpected(log: Log, error: unknown): void {
  countUnexpected('request');
  log.error('unexpected exception', { where: 'request', error });
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

function listen(
  server: Server,
  {
    host,
    port,
    portSetting,
    exclusive,
  }: {
    readonly host: string;
    readonly port: number;
    readonly portSetting: string;
    readonly exclusive: boolean;
  },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `port ${port} is in use: set ${portSetting} to a free one, or stop the program that holds it`,
            )
          : error,
      );
    });
    server.listen({ port, host, exclusive, backlog: mostWaiting }, resolve);
  });
}
