import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { hello, type TextStage, type Upstream, type UpstreamRequest } from './text-stage.ts';

/** A client that writes its own bytes. */
export interface WireClient {
  readonly socket: Socket;
  send(bytes: string | Buffer): void;
  /** Everything that came back so far. */
  text(): string;
  /** Resolves when the connection is closed, with everything that came back. */
  readonly closed: Promise<string>;
}

export async function openWire(url: string): Promise<WireClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  await once(socket, 'connect');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.on('end', () => {
    socket.end();
  });
  const text = (): string => Buffer.concat(chunks).toString('latin1');
  const closed = once(socket, 'close').then(text);
  return {
    socket,
    text,
    closed,
    send: (bytes) => {
      socket.write(bytes);
    },
  };
}

/** The head of a POST as bytes; `lines` are further header lines, and say how long the body is. */
export const headOf = (
  path: string,
  apiKey: string,
  lines: readonly string[],
  version = '1.1',
): string =>
  [
    `POST ${path} HTTP/${version}`,
    'host: gateway.test',
    `x-api-key: ${apiKey}`,
    'anthropic-version: 2023-06-01',
    'content-type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n');

/** A whole POST as bytes. */
export function requestBytes(
  path: string,
  apiKey: string,
  body: unknown,
  lines: readonly string[] = [],
): Buffer {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return Buffer.concat([
    Buffer.from(headOf(path, apiKey, [...lines, `content-length: ${bytes.length}`])),
    bytes,
  ]);
}

export interface WireUpstream {
  readonly url: string;
  /** Requests that arrived whole, as bytes. */
  readonly received: string[];
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

/**
 * An upstream that writes its own bytes, for what no proper server sends. `respond` is called for
 * each whole request.
 */
export async function openWireUpstream(
  respond: (socket: Socket, request: string) => void,
  onHead: (socket: Socket) => void = () => undefined,
): Promise<WireUpstream> {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let buffered = '';
    let greeted = false;
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      buffered += chunk.toString('latin1');
      const headEnd = buffered.indexOf('\r\n\r\n');
      if (headEnd >= 0 && !greeted) {
        greeted = true;
        onHead(socket);
      }
      const length = Number(/content-length: (\d+)/i.exec(buffered)?.[1] ?? Number.NaN);
      if (headEnd < 0 || buffered.length < headEnd + 4 + length) return;
      const request = buffered.slice(0, headEnd + 4 + length);
      buffered = buffered.slice(request.length);
      greeted = false;
      received.push(request);
      respond(socket, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    sockets,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** A response with its length, as bytes. */
export const completionBytes = (status: string, headers: readonly string[], body: string): string =>
  [`HTTP/1.1 ${status}`, `content-length: ${Buffer.byteLength(body)}`, ...headers, '', body].join(
    '\r\n',
  );

/** How many answers are under way, as the gateway itself counts them. */
export async function openResponses(opsUrl: string): Promise<number> {
  // Those of a stage are made for each question.
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(/^gateway_text_open_answers(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1] ?? Number.NaN);
}

/**
 * Lets as many requests as the key may run stand at the upstream at once: fails when a slot was
 * lost.
 */
export async function expectAllSlotsFree(
  stage: TextStage,
  {
    apiKey,
    model,
    upstream,
    slots,
  }: { apiKey: string; model: string; upstream: Upstream; slots: number },
): Promise<void> {
  await eventually(async () => {
    expect(await openResponses(stage.opsUrl)).toBe(0);
  });
  // Requests of a client that has left may still be on their way to the upstream: only those that
  // hold a slot count.
  const held = (): UpstreamRequest[] =>
    upstream.received.filter(({ json, aborted }) => json['hold'] === true && !aborted());
  const before = held().length;
  const responses = Array.from({ length: slots }, () =>
    fetch(`${stage.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': apiKey,
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      },
      body: JSON.stringify(hello(model, { hold: true })),
    }),
  );
  try {
    await eventually(() => {
      expect(held().length).toBe(before + slots);
    });
  } finally {
    for (const request of held().slice(before)) release(request);
  }
  const statuses = await Promise.all(responses.map(async (response) => (await response).status));
  expect(statuses).toEqual(Array.from({ length: slots }, () => 200));
}

function release({ response }: UpstreamRequest): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  );
}
