import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a vendor can be asked for; every wire format has its own way to say which. */
export type VendorCall = 'create' | 'poll' | 'list' | 'cancel';

export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<http.IncomingHttpHeaders>;
  readonly body: string;
  /** The caller's port: equal for requests that shared a connection. */
  readonly callerPort: number;
}

export interface ScriptedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object goes out as JSON, a string or bytes as they are. */
  readonly body?: object | string;
  /** What a request with such a path gets instead, of a poll that takes two requests. */
  readonly second?: { readonly path: RegExp; readonly response: ScriptedResponse };
}

/**
 * A response, or a way to fail; each happens after the whole request was read. `drop` closes the
 * connection, `silence` keeps it open without a word, `cut` closes it in the middle of a 200.
 */
export type Reaction = ScriptedResponse | 'drop' | 'silence' | 'cut';

export interface ScriptedVendor {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** What the next calls of this sort get, in order; the last one stays. */
  on(call: VendorCall, ...reactions: [Reaction, ...Reaction[]]): void;
  /** Requests of this sort so far. */
  count(call: VendorCall): number;
  stop(): Promise<void>;
}

/**
 * A vendor on a loopback port that does exactly what it is told, and remembers what it was asked.
 */
export async function startScriptedVendor(
  callOf: (request: SeenRequest) => VendorCall | undefined,
): Promise<ScriptedVendor> {
  const script = new Map<VendorCall, Reaction[]>();
  const seen: SeenRequest[] = [];
  const nextReaction = (call: VendorCall | undefined): Reaction => {
    const reactions = call === undefined ? [] : (script.get(call) ?? []);
    const reaction = reactions.length > 1 ? reactions.shift() : reactions[0];
    return reaction ?? { status: 500, body: `nothing is scripted for ${call ?? 'this request'}` };
  };
  const server = http.createServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      seen.push(request);
      react(response, meantFor(request, nextReaction(callOf(request))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    on: (call, ...reactions) => void script.set(call, [...reactions]),
    count: (call) => seen.filter((request) => callOf(request) === call).length,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

const meantFor = ({ path }: SeenRequest, reaction: Reaction): Reaction =>
  typeof reaction === 'object' && reaction.second?.path.test(path) === true
    ? reaction.second.response
    : reaction;

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
    callerPort: incoming.socket.remotePort ?? 0,
  };
}

function react(response: ServerResponse, reaction: Reaction): void {
  if (reaction === 'silence') return;
  if (reaction === 'drop') {
    response.socket?.destroy();
    return;
  }
  if (reaction === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"id":"', () => response.socket?.destroy());
    return;
  }
  const { status, headers = {}, body = '' } = reaction;
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  response.writeHead(status, {
    ...(isRaw ? {} : { 'content-type': 'application/json' }),
    ...headers,
  });
  response.end(isRaw ? body : JSON.stringify(body));
}

/** Leaves a loopback address at which nobody listens. */
export async function closedAddress(): Promise<string> {
  const vendor = await startScriptedVendor(() => undefined);
  await vendor.stop();
  return vendor.url;
}
