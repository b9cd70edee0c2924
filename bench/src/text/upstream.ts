import { createServer, type Socket } from 'node:net';
import { canned, type Canned } from './canned.ts';
import { announce } from './child.ts';
import { readRequests } from './request-reader.ts';
import { modelInBody, paceOf, pathOf, stampOf, type Pace } from './scripts.ts';
import type { Dialect, Script } from './protocol.ts';

/**
 * The fake vendor: all dialects, canned bytes, nothing checked. The model's name says how much is
 * sent and how fast. It writes HTTP/1.1 to its sockets by itself: what `node:http` costs here would
 * be taken from what the targets are measured against.
 */

interface Prepared extends Canned {
  readonly pace: Pace | undefined;
  /** Head and body of the response that is no stream. */
  readonly whole: Buffer;
  /** What a stream without stamps sends, write by write. */
  readonly writes: readonly Buffer[];
}

const dialects = Object.keys(pathOf) as Dialect[];
const preparedByPathAndModel = new Map<string, Prepared>();

const headOf = (status: string, headers: readonly string[]): Buffer =>
  Buffer.from(
    [
      `HTTP/1.1 ${status}`,
      ...headers,
      'request-id: req_bench',
      `date: ${new Date().toUTCString()}`,
      'connection: keep-alive',
      'keep-alive: timeout=120',
      '',
      '',
    ].join('\r\n'),
  );
const wholeResponse = (status: string, body: Buffer): Buffer =>
  Buffer.concat([
    headOf(status, ['content-type: application/json', `content-length: ${body.length}`]),
    body,
  ]);

const unknownModel = wholeResponse(
  '404 Not Found',
  Buffer.from('{"error":{"type":"not_found_error","message":"no such model"}}'),
);
const streamHead = headOf('200 OK', [
  'content-type: text/event-stream; charset=utf-8',
  'cache-control: no-cache',
  'transfer-encoding: chunked',
]);
const streamEnd = Buffer.from('0\r\n\r\n');

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {
    socket.destroy();
  });
  readRequests(socket, ({ path, first, last }) => {
    respond(socket, prepare(path, [first, last]));
  });
});
announce(server);

function respond(socket: Socket, prepared: Prepared | undefined): void {
  if (prepared?.pace === undefined) socket.write(prepared?.whole ?? unknownModel);
  else {
    socket.write(streamHead);
    if (prepared.pace.everyMs === 0) sendAtOnce(socket, prepared.writes);
    else sendPaced(socket, prepared, prepared.pace);
  }
}

/**
 * One write in each turn of the event loop, so that no two chunks share a packet while the reader
 * keeps up.
 */
function sendAtOnce(socket: Socket, writes: readonly Buffer[]): void {
  let next = 0;
  const step = (): void => {
    const chunk = writes[next] ?? streamEnd;
    next += 1;
    if (socket.destroyed) return;
    const hasCapacity = socket.write(chunk);
    if (next > writes.length) return;
    if (hasCapacity) setImmediate(step);
    else socket.once('drain', step);
  };
  step();
}

function sendPaced(
  socket: Socket,
  { opening, closing, delta }: Prepared,
  { chunks, everyMs }: Pace,
): void {
  let sent = 0;
  const end = (): void => {
    clearInterval(timer);
    socket.off('close', end);
  };
  socket.write(framed(opening));
  const timer = setInterval(() => {
    if (sent === chunks) {
      end();
      socket.write(framed(closing));
      socket.write(streamEnd);
      return;
    }
    sent += 1;
    socket.write(framed(delta(stampOf())));
  }, everyMs);
  socket.once('close', end);
}

/**
 * A chunk of HTTP/1.1, made once: framing the same bytes again and again would cost the upstream
 * more than sending them.
 */
const framed = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

/** Bodies are not parsed: the model stands in the first piece of a body, or in the last. */
function prepare(url: string, pieces: readonly (Buffer | undefined)[]): Prepared | undefined {
  const [, model, script] =
    pieces
      .map((piece) => modelInBody.exec(piece?.toString('latin1') ?? ''))
      .find((found) => found !== null) ?? [];
  const dialect = dialects.find((each) => pathOf[each] === url);
  if (model === undefined || dialect === undefined) return undefined;
  const known = preparedByPathAndModel.get(url + model);
  if (known !== undefined) return known;
  const parts = canned[dialect](model);
  const pace = paceOf[script as Script];
  const deltas = Array.from({ length: pace?.chunks ?? 0 }, (_, index) =>
    parts.delta(` word${index}`),
  );
  const prepared = {
    ...parts,
    pace,
    whole: wholeResponse('200 OK', parts.completion),
    writes: [parts.opening, ...deltas, parts.closing].map(framed),
  };
  preparedByPathAndModel.set(url + model, prepared);
  return prepared;
}
