import {
  createServer,
  request as send,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { duplexPair, type Duplex } from 'node:stream';
import { guarded } from '@gateway/runtime';

/** A call of one of our own routes, for somebody else's request. */
export interface InnerCall {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | undefined;
  /** Who the request came from. */
  readonly peer: string;
  readonly signal: AbortSignal;
}

export interface InnerResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export interface InnerCalls {
  /** Rejects when the call is aborted, or breaks. */
  call(call: InnerCall): Promise<InnerResponse>;
  /** Whether a request is one of these: it belongs to a request that was counted. */
  isInner(request: Pick<IncomingMessage, 'socket'>): boolean;
}

/**
 * Calls our own routes as HTTP, so that whatever holds for a client's request holds for these:
 * each over a connection of its own inside this process, which nobody else can open.
 */
export function createInnerCalls(handler: () => RequestListener): InnerCalls {
  const ours = new WeakSet<Duplex>();
  const server = createServer((request, response) => {
    handler()(request, response);
  });
  const connect = (peer: string): Duplex => {
    const [near, far] = duplexPair();
    Object.defineProperty(far, 'remoteAddress', { value: peer });
    ours.add(far);
    // Whoever gives a call up hangs up, as a client would.
    near.once(
      'close',
      guarded(
        () => undefined,
        () => {
          far.destroy();
        },
      ),
    );
    server.emit('connection', far);
    return near;
  };
  return {
    isInner: ({ socket }) => ours.has(socket),
    call: ({ peer, body, headers, ...call }) =>
      new Promise((resolve, reject) => {
        const fail = (error: unknown): void => {
          reject(error instanceof Error ? error : new Error(String(error)));
        };
        const outgoing = send({
          ...call,
          headers: { host: 'localhost', connection: 'close', ...headers },
          createConnection: () => connect(peer),
        });
        outgoing.on('error', guarded(fail, fail)).on(
          'response',
          guarded(fail, (incoming: IncomingMessage) => {
            const chunks: Buffer[] = [];
            incoming
              .on(
                'data',
                guarded(fail, (chunk: Buffer) => {
                  chunks.push(chunk);
                }),
              )
              .on('error', guarded(fail, fail))
              .on(
                'end',
                guarded(fail, () => {
                  const { statusCode: status = 500, headers: received } = incoming;
                  resolve({ status, headers: received, text: Buffer.concat(chunks).toString() });
                }),
              );
          }),
        );
        outgoing.end(body);
      }),
  };
}
