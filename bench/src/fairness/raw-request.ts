import { connect, type Socket } from 'node:net';

/** What one request comes to: a status, or `cut` when the connection ends without one. */
export type Count = (outcome: string) => void;

export interface RawRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent after the head, with back-pressure. */
  readonly body?: readonly Buffer[];
  /** Of a request that is never finished: how long it is held before it counts as held. */
  readonly holdMs?: number;
  readonly signal: AbortSignal;
}

/** One request over a connection of its own, as no client library would send it. */
export function sendRaw(
  { url, method, path, headers, body = [], holdMs, signal }: RawRequest,
  count: Count,
): Promise<void> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let head = '';
    let isOver = false;
    const finish = (outcome: string | undefined): void => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener('abort', abort);
      clearTimeout(held);
      socket.destroy();
      if (outcome !== undefined) count(outcome);
      resolve();
    };
    const abort = (): void => {
      finish(undefined);
    };
    const held =
      holdMs === undefined
        ? undefined
        : setTimeout(() => {
            finish('held');
          }, holdMs);
    signal.addEventListener('abort', abort);
    socket.setEncoding('latin1');
    socket.on('data', (text: Buffer | string) => {
      head += String(text);
      const status = /^HTTP\/1\.1 ([2-5]\d\d)/m.exec(head)?.[1];
      if (status !== undefined) finish(status);
    });
    socket.once('error', () => {
      finish('cut');
    });
    socket.once('close', () => {
      finish('cut');
    });
    socket.once('connect', () => {
      const lines = Object.entries({ host, connection: 'close', ...headers });
      socket.write(
        `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      );
      writeAll(socket, body);
    });
  });
}

function writeAll(socket: Socket, body: readonly Buffer[]): void {
  let next = 0;
  const write = (): void => {
    while (next < body.length) {
      const piece = body[next] as Buffer;
      next += 1;
      if (!socket.write(piece)) {
        socket.once('drain', write);
        return;
      }
    }
  };
  write();
}
