import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import {
  createOutboundClient,
  parseCidrs,
  type Dial,
  type OutboundClient,
  type OutboundClientOptions,
} from '@gateway/outbound';
import { certificate, privateKey } from './certificate.ts';

export interface Peer {
  readonly port: number;
  /** Requests as they arrived, with their bodies. */
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: http.IncomingHttpHeaders;
    readonly body: string;
    readonly serverName: unknown;
  }[];
}

const open: (() => Promise<void>)[] = [];

/** Closes all that a test has started: each file calls it in its own `afterEach`. */
export async function closePeers(): Promise<void> {
  await Promise.all(open.splice(0).map((close) => close()));
}

/** A real server on loopback; the handler runs once the request's body is there. */
export async function startPeer(handler: http.RequestListener, secure = false): Promise<Peer> {
  const requests: Peer['requests'] = [];
  const listener: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      requests.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        serverName: 'servername' in request.socket ? request.socket.servername : undefined,
      });
      handler(request, response);
    });
  };
  const server = secure
    ? https.createServer({ key: privateKey, cert: certificate }, listener)
    : http.createServer(listener);
  return { port: await listen(server), requests };
}

/** A server below HTTP: gets the raw connection. */
export async function startRawPeer(onConnection: (socket: net.Socket) => void): Promise<number> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  open.push(() => {
    sockets.forEach((socket) => socket.destroy());
    return Promise.resolve();
  });
  return listen(server);
}

export interface ConnectProxy {
  readonly port: number;
  readonly asked: { readonly target: string; readonly authorization: string | undefined }[];
}

/** A real CONNECT proxy that leads every name to 127.0.0.1; with `respond` it refuses instead. */
export async function startConnectProxy({
  response,
}: { readonly response?: string } = {}): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'] = [];
  const server = http.createServer();
  server.on('connect', (request: http.IncomingMessage, client: net.Socket, head: Buffer) => {
    const target = request.url ?? '';
    asked.push({ target, authorization: request.headers['proxy-authorization'] });
    client.on('error', () => undefined);
    if (response !== undefined) {
      client.end(response);
      return;
    }
    const upstream = net.connect(
      { host: '127.0.0.1', port: Number(target.split(':').at(-1)) },
      () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        upstream.write(head);
        upstream.pipe(client).pipe(upstream);
      },
    );
    upstream
      .on('error', () => {
        client.destroy();
      })
      .on('close', () => {
        client.destroy();
      });
    client.on('close', () => {
      upstream.destroy();
    });
  });
  return { port: await listen(server), asked };
}

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        if (server instanceof http.Server || server instanceof https.Server) {
          server.closeAllConnections();
        }
      }),
  );
  return (server.address() as net.AddressInfo).port;
}

export interface RecordingDial {
  readonly dial: Dial;
  readonly dialled: string[];
}

/**
 * Dials loopback only, whatever the guard lets through: a broken guard shows in `dialled` and
 * reaches nobody.
 */
export function recordingDial(): RecordingDial {
  const dialled: string[] = [];
  const dial: Dial = ({ host, port }) => {
    dialled.push(host);
    if (host === '127.0.0.1') return net.connect({ host, port });
    const socket = new net.Socket();
    process.nextTick(() => {
      socket.destroy(Object.assign(new Error('not reached in tests'), { code: 'ECONNREFUSED' }));
    });
    return socket;
  };
  return { dial, dialled };
}

export const loopback = parseCidrs('127.0.0.0/8');

/** A client with loopback opened and names that all resolve to 127.0.0.1, unless told otherwise. */
export function aClient(options: Partial<OutboundClientOptions> = {}): OutboundClient {
  return createOutboundClient({
    allowCidrs: loopback,
    allowHttp: true,
    userAgent: 'gateway-test/1',
    resolve: () => ['127.0.0.1'],
    dial: recordingDial().dial,
    certificateAuthority: certificate,
    ...options,
  });
}
