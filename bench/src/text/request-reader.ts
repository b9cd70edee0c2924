import type { Socket } from 'node:net';

export interface ReadRequest {
  readonly path: string;
  /** The first and the last piece of the body, as they came. */
  readonly first: Buffer | undefined;
  readonly last: Buffer | undefined;
}

const headEnd = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);

/**
 * Calls `onRequest` for each request whose body is complete. Bodies have a `content-length`; a
 * connection that sends anything else is closed.
 */
export function readRequests(socket: Socket, onRequest: (request: ReadRequest) => void): void {
  let head: Buffer = nothing;
  let path: string | undefined;
  let missing = 0;
  let first: Buffer | undefined;
  let last: Buffer | undefined;

  const takeHead = (piece: Buffer): Buffer | undefined => {
    head = head.length === 0 ? piece : Buffer.concat([head, piece]);
    const end = head.indexOf(headEnd);
    if (end < 0) return undefined;
    const text = head.toString('latin1', 0, end);
    const rest = head.subarray(end + headEnd.length);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (length === undefined) {
      socket.destroy();
      return undefined;
    }
    head = nothing;
    path = text.split(' ', 2)[1] ?? '';
    missing = Number(length);
    return rest;
  };
  socket.on('data', (piece: Buffer) => {
    const body = path === undefined ? takeHead(piece) : piece;
    if (body === undefined || path === undefined) return;
    if (body.length > 0) {
      missing -= body.length;
      last = body;
      first ??= body;
    }
    if (missing > 0) return;
    const request = { path, first, last };
    path = first = last = undefined;
    onRequest(request);
  });
}
