import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request a peer received, with its body as it came. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly at: number;
}

export interface Peer {
  readonly url: string;
  readonly received: Received[];
  close(): Promise<void>;
}

/** Responds to one request; a peer that does not end the response leaves its caller waiting. */
export type Respond = (received: Received, response: ServerResponse) => void | Promise<void>;

/**
 * A real HTTP server on loopback that keeps what it receives: a vendor, a receiver, a file host.
 */
export async function openPeer(respond: Respond): Promise<Peer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one: Received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
        at: Date.now(),
      };
      received.push(one);
      void Promise.resolve(respond(one, response)).catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

export interface Receiver extends Peer {
  /** Parsed pushes in the order of their arrival, the challenge left out. */
  pushes(): {
    readonly at: number;
    readonly headers: Received['headers'];
    readonly body: { id: string; status: string } & Record<string, unknown>;
    readonly raw: string;
  }[];
}

/**
 * A well-behaved callback receiver: echoes the challenge and returns 200; `misbehave` may respond
 * instead by returning true.
 */
export async function openReceiver(
  misbehave: (received: Received, response: ServerResponse) => boolean = () => false,
): Promise<Receiver> {
  const peer = await openPeer((received, response) => {
    if (misbehave(received, response)) return;
    const body = JSON.parse(received.body.toString()) as { type?: string; challenge?: string };
    response.setHeader('content-type', 'application/json');
    response.end(
      body.type === 'url_verification' ? JSON.stringify({ challenge: body.challenge }) : '{}',
    );
  });
  return {
    ...peer,
    pushes: () =>
      peer.received
        .map(({ at, headers, body }) => ({
          at,
          headers,
          raw: body.toString(),
          body: JSON.parse(body.toString()) as { id: string; status: string } & Record<
            string,
            unknown
          >,
        }))
        .filter(({ body }) => body['type'] !== 'url_verification'),
  };
}
