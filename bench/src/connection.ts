import { connect } from 'node:net';
import { bytesAfter, headEnd, isLast } from './raw-http.ts';

export interface Connection {
  /** Sends one request; resolves with the status of its response when that is complete. */
  ask(request: string): Promise<number>;
  isOpen(): boolean;
  close(): void;
}

/** A target that hangs must not hang the bench. */
const responseTimeoutMs = 30_000;

/**
 * A kept-alive connection for one request at a time. It reads only the status and the end of each
 * response: `node:http` takes 0.1 ms of CPU a request, on the cores that what is measured shares.
 */
export function openConnection(target: URL): Connection {
  let head = '';
  /** Of the body that is coming; undefined while its head goes on. */
  let missing: number | undefined;
  let waiting: { resolve(status: number): void; reject(error: Error): void } | undefined;
  let broken: Error | undefined;
  const socket = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
  const readHead = (piece: Buffer): number | undefined => {
    head += piece.toString('latin1');
    const end = head.indexOf(headEnd);
    return end < 0 ? undefined : bytesAfter(head, end + headEnd.length);
  };
  const fail = (error: Error): void => {
    broken ??= error;
    socket.destroy();
    waiting?.reject(broken);
    waiting = undefined;
  };
  socket.on('data', (piece: Buffer) => {
    missing = missing === undefined ? readHead(piece) : missing - piece.length;
    if (missing === undefined || (missing === Infinity ? !isLast(piece) : missing > 0)) return;
    const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    head = '';
    missing = undefined;
    const { resolve } = waiting ?? {};
    waiting = undefined;
    resolve?.(status);
  });
  socket.once('error', fail);
  socket.once('close', () => {
    fail(new Error('the connection was closed'));
  });
  socket.setTimeout(responseTimeoutMs, () => {
    fail(new Error('no response in time'));
  });
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (broken !== undefined) {
          reject(broken);
          return;
        }
        waiting = { resolve, reject };
        socket.write(request);
      }),
    isOpen: () => broken === undefined,
    close: () => {
      socket.destroy();
    },
  };
}
