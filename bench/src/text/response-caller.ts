import { connect } from 'node:net';
import { bytesAfter, headEnd, isLast } from '../raw-http.ts';
import type { OutgoingRequest } from './requests.ts';
import { microsecondsSince, type CallerState } from './tally.ts';

/** A target that hangs is a failure of its caller. */
const responseTimeoutMs = 30_000;

/**
 * Asks for responses that are no streams, on a connection of its own: sends prepared bytes again and
 * again, and reads only the status and the end of each response. A client library costs twice as
 * much, on the core that the stores and the upstream share.
 */
export function startResponseCaller(
  target: URL,
  { nextOf, state }: { readonly nextOf: () => Buffer; readonly state: CallerState },
): void {
  let sentAt = 0;
  /** Of the response that is coming. */
  let missing: number | undefined;
  let head = '';
  const socket = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
  const send = (): void => {
    if (state.isOver) {
      socket.end();
      return;
    }
    missing = undefined;
    head = '';
    sentAt = performance.now();
    socket.write(nextOf());
  };
  const fail = (why: string): void => {
    if (state.isOver) return;
    state.tally.failed += 1;
    state.tally.firstError ??= why;
    socket.destroy();
    setTimeout(() => {
      startResponseCaller(target, { nextOf, state });
    }, 100);
  };
  /** Bytes still to come; undefined while the head goes on. */
  const readHead = (piece: Buffer): number | undefined => {
    head += piece.toString('latin1');
    const end = head.indexOf(headEnd);
    if (end < 0) return undefined;
    state.tally.firstByte.record(microsecondsSince(sentAt));
    return bytesAfter(head, end + headEnd.length);
  };
  socket.on('data', (piece: Buffer) => {
    missing = missing === undefined ? readHead(piece) : missing - piece.length;
    if (missing === undefined || (missing === Infinity ? !isLast(piece) : missing > 0)) return;
    if (!head.startsWith('HTTP/1.1 200 ')) {
      fail(`${head.slice(0, head.indexOf('\r\n'))}: ${piece.toString()}`);
      return;
    }
    state.tally.chunks += 1;
    state.tally.completed += 1;
    state.tally.latency.record(microsecondsSince(sentAt));
    send();
  });
  socket.once('error', (error) => {
    fail(error.message);
  });
  socket.once('end', () => {
    fail('the connection ended');
  });
  socket.setTimeout(responseTimeoutMs, () => {
    fail('no response in time');
  });
  socket.once('connect', send);
}

/** Each of the requests in turn, as the bytes that a connection carries. */
export function inTurn(target: URL, requests: readonly OutgoingRequest[]): () => Buffer {
  const bytes = requests.map((request) => bytesOf(target, request));
  let turn = -1;
  return () => {
    turn = (turn + 1) % bytes.length;
    return bytes[turn] ?? Buffer.alloc(0);
  };
}

function bytesOf(target: URL, { path, headers, body }: OutgoingRequest): Buffer {
  const lines = [`POST ${path} HTTP/1.1`, `host: ${target.host}`, 'connection: keep-alive'];
  for (let index = 0; index < headers.length; index += 2) {
    lines.push(`${headers[index] ?? ''}: ${headers[index + 1] ?? ''}`);
  }
  lines.push(`content-length: ${body.length}`, '', '');
  return Buffer.concat([Buffer.from(lines.join('\r\n')), body]);
}
