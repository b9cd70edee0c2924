import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { canned, type Canned } from './canned.ts';
import { announce } from './child.ts';
import { modelInBody, paceOf, pathOf, stampOf, type Pace } from './scripts.ts';
import type { Script } from './protocol.ts';

/** The fake vendor: both dialects, canned bytes, nothing checked. The model's name says how much is sent and how fast. */

interface Prepared extends Canned {
  readonly pace: Pace | undefined;
  /** What a stream without stamps sends, write by write. */
  readonly writes: readonly Buffer[];
}

const preparedByPathAndModel = new Map<string, Prepared>();

const server = createServer((request, response) => {
  let first: Buffer | undefined;
  let last: Buffer | undefined;
  request.on('data', (chunk: Buffer) => { last = chunk; first ??= chunk; });
  request.on('end', () => { answer(request, response, prepare(request.url ?? '', [first, last])); });
});
server.keepAliveTimeout = 120_000;
announce(server);

function answer(_request: IncomingMessage, response: ServerResponse, prepared: Prepared | undefined): void {
  if (prepared === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"type":"not_found_error","message":"no such model"}}');
    return;
  }
  const { pace } = prepared;
  if (pace === undefined) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': prepared.answer.length, 'request-id': 'req_bench' }).end(prepared.answer);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', 'request-id': 'req_bench' });
  if (pace.everyMs === 0) sendAtOnce(response, prepared.writes);
  else sendPaced(response, prepared, pace);
}

/** One write in each turn of the event loop, so that no two chunks share a packet while the reader keeps up. */
function sendAtOnce(response: ServerResponse, writes: readonly Buffer[]): void {
  let next = 0;
  const step = (): void => {
    const chunk = writes[next];
    if (chunk === undefined) {
      response.end();
      return;
    }
    next += 1;
    const { socket } = response;
    if (socket === null || socket.destroyed) return;
    if (socket.write(chunk)) setImmediate(step);
    else socket.once('drain', step);
  };
  response.flushHeaders();
  step();
}

function sendPaced(response: ServerResponse, { opening, closing, delta }: Prepared, { chunks, everyMs }: Pace): void {
  let sent = 0;
  response.write(opening);
  const timer = setInterval(() => {
    if (sent === chunks) {
      clearInterval(timer);
      response.end(closing);
      return;
    }
    sent += 1;
    response.write(delta(stampOf()));
  }, everyMs);
  response.once('close', () => { clearInterval(timer); });
}

/** A chunk of HTTP/1.1, made once: framing the same bytes again and again would cost the upstream more than sending them. */
const framed = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

/** Bodies are not parsed: the model stands in the first piece of a body, or in the last. */
function prepare(url: string, pieces: readonly (Buffer | undefined)[]): Prepared | undefined {
  const [, model, script] = pieces.map((piece) => modelInBody.exec(piece?.toString('latin1') ?? '')).find((found) => found !== null) ?? [];
  const dialect = url === pathOf.messages ? 'messages' : url === pathOf.chat ? 'chat' : undefined;
  if (model === undefined || dialect === undefined) return undefined;
  const known = preparedByPathAndModel.get(url + model);
  if (known !== undefined) return known;
  const parts = canned[dialect](model);
  const pace = paceOf[script as Script];
  const deltas = Array.from({ length: pace?.chunks ?? 0 }, (_, index) => parts.delta(` word${index}`));
  const prepared = { ...parts, pace, writes: [parts.opening, ...deltas, parts.closing].map(framed) };
  preparedByPathAndModel.set(url + model, prepared);
  return prepared;
}
