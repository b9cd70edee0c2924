import { setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { parentPort, type Transferable } from 'node:worker_threads';
import { GatewayError, describeError } from '@gateway/domain';
import { isHandedOver } from './memory.ts';
import type { ThreadJob, ThreadReply } from './pool.ts';
import { workOn, type Work } from './work.ts';

/** Behind the streams when both want one core. Only Linux gives a thread a priority of its own. */
const niceness = 10;
if (process.platform === 'linux') setPriority(niceness);

function outcomeOf(bytes: Buffer, work: Work): ThreadReply['outcome'] {
  try {
    return { value: workOn(bytes, work) };
  } catch (error) {
    if (!GatewayError.is(error)) return { failure: describeError(error) };
    const { code, message, param, details } = error;
    return { refusal: { code, message, param, details } };
  }
}

/** New bytes are handed over instead of copied, when they are alone in their memory. */
function handedOver(value: unknown, given: Uint8Array): Transferable[] {
  const found: ArrayBuffer[] = [];
  const collect = (part: unknown): void => {
    if (
      part instanceof Uint8Array &&
      part.buffer instanceof ArrayBuffer &&
      part.buffer !== given.buffer &&
      (isHandedOver(part) || part.byteLength === part.buffer.byteLength)
    ) {
      found.push(part.buffer);
    }
  };
  if (typeof value !== 'object' || value === null) return found;
  for (const part of Object.values(value) as unknown[]) {
    collect(part);
    const inner: unknown[] = Array.isArray(part) ? part : [];
    // of bytes, each byte would be a value
    inner
      .flatMap((each): unknown[] =>
        each instanceof Uint8Array ? [each] : Object.values(each as object),
      )
      .forEach(collect);
  }
  return found;
}

parentPort?.on('message', ({ bytes: given, isLent, work }: ThreadJob) => {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const outcome = outcomeOf(bytes, work);
  // Memory that was handed over goes back; a copy ends here.
  const back = isLent ? given : undefined;
  const heapBytes = getHeapStatistics().total_heap_size;
  parentPort?.postMessage({ outcome, bytes: back, heapBytes } satisfies ThreadReply, [
    ...(back === undefined ? [] : [back.buffer as ArrayBuffer]),
    ...handedOver('value' in outcome ? outcome.value : undefined, given),
  ]);
});
