import { setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';
import { GatewayError, describeError } from '@gateway/domain';
import type { ThreadRelease, ThreadRendered, ThreadReply, ThreadRequest } from './preparation.ts';
import { RequestBody } from './request-body.ts';

/** Behind the streams when both want one core. Only Linux gives a thread a priority of its own. */
const niceness = 10;
if (process.platform === 'linux') setPriority(niceness);

const bodies = new Map<number, RequestBody>();

function bodyOf({ bodyId, bytes }: ThreadRequest): RequestBody {
  const body =
    bodies.get(bodyId) ??
    new RequestBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  bodies.set(bodyId, body);
  return body;
}

function valueOf(request: ThreadRequest): unknown {
  const { command } = request;
  const body = bodyOf(request);
  if (command.kind === 'count') return body.count();
  if (command.kind === 'inspect') return body.inspect(command);
  const rendered = body.render(command);
  return {
    ...rendered,
    body: rendered.body === body.bytes ? null : rendered.body,
  } satisfies ThreadRendered;
}

function replyTo(request: ThreadRequest): ThreadReply {
  const { id } = request;
  try {
    return { id, value: valueOf(request) };
  } catch (error) {
    if (!GatewayError.is(error)) return { id, failure: describeError(error) };
    const { code, message, param, details } = error;
    return { id, refusal: { code, message, param, details } };
  }
}

/** New bytes are handed over instead of copied, when they are alone in their memory. */
function handedOver(reply: ThreadReply): Transferable[] {
  const bytes = 'value' in reply ? (reply.value as { body?: unknown } | null)?.body : undefined;
  return bytes instanceof Uint8Array &&
    bytes.buffer instanceof ArrayBuffer &&
    bytes.byteLength === bytes.buffer.byteLength
    ? [bytes.buffer]
    : [];
}

parentPort?.on('message', (message: ThreadRequest | ThreadRelease) => {
  if ('release' in message) {
    bodies.delete(message.release);
    return;
  }
  const reply = replyTo(message);
  parentPort?.postMessage(reply, handedOver(reply));
});
