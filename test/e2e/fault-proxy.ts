import {
  createServer,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with one request. */
export type Fault =
  | { readonly kind: 'refuse'; readonly status: number; readonly headers?: Record<string, string> }
  /** The request arrives, its response does not. */
  | { readonly kind: 'lose response' }
  /** The connection breaks after so many bytes of the body. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Nothing more comes after so many bytes of the body, and the connection stays open. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  | { readonly kind: 'pass' };

export interface FaultProxy {
  readonly url: string;
  /** Method, path and headers of every request, in order. */
  readonly seen: { readonly call: string; readonly headers: IncomingMessage['headers'] }[];
  /** Goes wrong with the next requests whose `METHOD /path` contains `call`, one fault each. */
  spoil(call: string, ...faults: readonly Fault[]): void;
  /** Where requests go from now on. */
  leadTo(url: string): void;
  close(): Promise<void>;
}

/** A real HTTP proxy on loopback, before the gateway, that spoils what it is told to. */
export async function openFaultProxy(): Promise<FaultProxy> {
  const seen: FaultProxy['seen'] = [];
  const plans: { call: string; fault: Fault }[] = [];
  let target = '';
  const server = createServer((request, response) => {
    const call = `${request.method!} ${request.url!}`;
    seen.push({ call, headers: request.headers });
    const planned = plans.findIndex((plan) => call.includes(plan.call));
    const fault = planned === -1 ? undefined : plans.splice(planned, 1)[0]!.fault;
    if (fault?.kind === 'refuse') refuse(request, response, fault);
    else forward({ request, response, target, fault });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    spoil(call, ...faults) {
      plans.push(...faults.map((fault) => ({ call, fault })));
    },
    leadTo(url) {
      target = url;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers = {} }: Extract<Fault, { kind: 'refuse' }>,
): void {
  request.resume();
  response.writeHead(status, headers).end('busy');
}

function forward({
  request,
  response,
  target,
  fault,
}: {
  request: IncomingMessage;
  response: ServerResponse;
  target: string;
  fault: Fault | undefined;
}): void {
  const upstream = send(
    `${target}${request.url!}`,
    { method: request.method!, headers: request.headers },
    (received) => {
      if (fault?.kind === 'lose response') {
        received.resume().on('end', () => response.destroy());
        return;
      }
      response.writeHead(received.statusCode!, received.headers);
      let left = fault !== undefined && 'afterBytes' in fault ? fault.afterBytes : Infinity;
      received.on('data', (chunk: Buffer) => {
        if (left <= 0) return;
        response.write(chunk.subarray(0, left));
        left -= chunk.length;
        // What was written has left before the connection breaks.
        if (left <= 0 && fault?.kind === 'cut') setImmediate(() => response.socket?.end());
      });
      received.on('end', () => {
        if (left > 0) response.end();
      });
    },
  );
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}
