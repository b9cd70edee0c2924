import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyCallback, type CallbackMessage } from '@gateway/client';

/** A push that has come, with what it said if it was genuine. */
export type Received =
  | { readonly kind: 'message'; readonly message: CallbackMessage; readonly sequence: string }
  | { readonly kind: 'refused'; readonly why: string };

export interface ListenerOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly secret: string;
  /** Where genuine messages go on to. */
  readonly forwardTo: string | undefined;
  readonly onReceived: (received: Received) => void;
  /** Told when somebody could not be reached or broke off. */
  readonly onTrouble: (why: string) => void;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

/** A push is a task; more than this is something else. */
const mostBytes = 1024 * 1024;
const forwardTimeoutMs = 14_000;

/**
 * Receives pushes on loopback and checks who has sent them. Where they go on to another address,
 * that one's response is the response.
 */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const server = createServer((request, response) => {
    receive(request, response, options).catch((error: unknown) => {
      options.onTrouble(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => closed(server) };
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  options: ListenerOptions,
): Promise<void> {
  const body = await bodyOf(request);
  if (body === undefined) {
    response.writeHead(413).end();
    return;
  }
  const message = await verified(request, body, options);
  if (message === undefined) {
    response.writeHead(400).end('The signature is missing or wrong.');
    return;
  }
  if (options.forwardTo !== undefined) {
    await forward(request, response, { ...options, body, forwardTo: options.forwardTo });
  } else if (message.type === 'url_verification') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(message.challenge);
  } else {
    response.writeHead(204).end();
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function verified(
  { headers }: IncomingMessage,
  body: Uint8Array,
  { secret, onReceived }: ListenerOptions,
): Promise<CallbackMessage | undefined> {
  try {
    const message = await verifyCallback({ body, headers }, secret);
    const sequence = String(headers['x-gateway-sequence'] ?? '');
    onReceived({ kind: 'message', message, sequence });
    return message;
  } catch (error) {
    onReceived({ kind: 'refused', why: (error as Error).message });
    return undefined;
  }
}

/** Of our own connection, not of the message. */
const ofTheConnection = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  {
    body,
    forwardTo,
    onTrouble,
  }: Pick<ListenerOptions, 'onTrouble'> & {
    readonly body: Buffer<ArrayBuffer>;
    readonly forwardTo: string;
  },
): Promise<void> {
  const headers = Object.entries(request.headers)
    .filter(([name]) => !ofTheConnection.has(name))
    .map(([name, value]): [string, string] => [name, String(value)]);
  try {
    const received = await fetch(forwardTo, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(forwardTimeoutMs),
    });
    const text = await received.text();
    response
      .writeHead(received.status, {
        'content-type': received.headers.get('content-type') ?? 'text/plain',
      })
      .end(text);
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    onTrouble(`${forwardTo} could not be reached: ${(cause as Error).message}`);
    response.writeHead(502).end();
  }
}
