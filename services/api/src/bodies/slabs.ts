import { MessageChannel, isMainThread } from 'node:worker_threads';

/**
 * Memory for large bodies that is used again and again. The pages of new memory come from the system one
 * by one: 0.6 ms for each megabyte, of 1.5 that a bare proxy takes for all of it. V8 reads plain memory
 * in half the time of memory that can grow.
 */
const leastBytes = 131_072;
const mostBytes = 8_388_608;
/** In use and waiting; who comes then gets memory of another kind. */
const allBytes = 67_108_864;
/** How long memory that nobody uses is kept. */
const keptMs = 5_000;

interface Waiting {
  readonly buffer: ArrayBuffer;
  readonly sinceMs: number;
}

/** Weak: one that nobody gave back is the collector's, and counts no longer. */
const inUse = new WeakSet<ArrayBufferLike>();
/** Those that came back last are taken first. */
let waiting: Waiting[] = [];
let takenBytes = 0;
let timer: NodeJS.Timeout | undefined;
const lost = new FinalizationRegistry<number>((sizeBytes) => {
  takenBytes -= sizeBytes;
});

/**
 * Memory of at least so many bytes, in which others' may still stand: whoever takes it shows nobody more
 * than was written. Undefined where the size is none of these, or there is too much already.
 */
export function takeSlab(sizeBytes: number): ArrayBuffer | undefined {
  if (!isMainThread || sizeBytes > mostBytes) return undefined;
  const slabBytes = slabBytesFor(sizeBytes);
  const index = waiting.findLastIndex(({ buffer }) => buffer.byteLength === slabBytes);
  const buffer = index < 0 ? newSlab(slabBytes) : waiting.splice(index, 1)[0]?.buffer;
  if (buffer !== undefined) use(buffer);
  return buffer;
}

export const isSlab = (buffer: ArrayBufferLike): boolean => inUse.has(buffer);

/** Nobody reads it any more, nor writes it to a socket. */
export function giveSlabBack(buffer: ArrayBuffer): void {
  if (!stopUsing(buffer)) return;
  waiting.push({ buffer, sinceMs: performance.now() });
  timer ??= setTimeout(dropIdle, keptMs).unref();
}

/** Somebody may still read it, who keeps it from the collector. */
export function forgetSlab(buffer: ArrayBufferLike): void {
  if (stopUsing(buffer)) takenBytes -= buffer.byteLength;
}

/** It was in a thread meanwhile, by which it became another buffer. */
export function takeSlabIn(buffer: ArrayBuffer): void {
  use(buffer);
  takenBytes += buffer.byteLength;
}

function use(buffer: ArrayBuffer): void {
  inUse.add(buffer);
  lost.register(buffer, buffer.byteLength, buffer);
}

/** Whether it was in use. */
function stopUsing(buffer: ArrayBufferLike): boolean {
  if (!inUse.delete(buffer)) return false;
  lost.unregister(buffer);
  return true;
}

/** Powers of two: a size that comes again finds its memory. */
function slabBytesFor(sizeBytes: number): number {
  let slabBytes = leastBytes;
  while (slabBytes < sizeBytes) slabBytes *= 2;
  return slabBytes;
}

function newSlab(slabBytes: number): ArrayBuffer | undefined {
  if (takenBytes + slabBytes > allBytes) release(waiting.splice(0));
  if (takenBytes + slabBytes > allBytes) return undefined;
  takenBytes += slabBytes;
  return new ArrayBuffer(slabBytes);
}

function dropIdle(): void {
  const dueMs = performance.now() - keptMs;
  release(waiting.filter(({ sinceMs }) => sinceMs <= dueMs));
  waiting = waiting.filter(({ sinceMs }) => sinceMs > dueMs);
  timer = waiting.length === 0 ? undefined : setTimeout(dropIdle, keptMs).unref();
}

/** A collector would come late where little else happens; what is sent to nobody is freed at once. */
function release(slabs: readonly Waiting[]): void {
  if (slabs.length === 0) return;
  const { port1, port2 } = new MessageChannel();
  port2.close();
  for (const { buffer } of slabs) {
    takenBytes -= buffer.byteLength;
    port1.postMessage(undefined, [buffer]);
  }
  port1.close();
}
