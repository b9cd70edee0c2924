/**
 * Bodies up to this are read where they arrive: 128 KiB take a fraction of a millisecond unless
 * they are dense, and a thread's round trip takes as long.
 */
export const largestInlineBytes = 131_072;

/** ES2024, which Node has since version 20 and the ES2023 types do not know. */
interface ResizableBuffer extends ArrayBuffer {
  readonly resizable: boolean;
  resize(bytes: number): void;
}
const Resizable = ArrayBuffer as unknown as new (
  bytes: number,
  options: { maxByteLength: number },
) => ResizableBuffer;

const isResizable = (buffer: ArrayBufferLike): buffer is ResizableBuffer =>
  (buffer as Partial<ResizableBuffer>).resizable === true;

const stepBytes = 1_048_576;

/**
 * Memory in pages of its own, outside the heap of V8 and of malloc: it grows without a copy, goes to
 * a thread and back without one, and is given back to the system the moment it is freed.
 */
export class LargeMemory {
  readonly #buffer: ResizableBuffer;
  #sizeBytes = 0;

  /** `mostBytes` are reserved, and taken as they are written. */
  constructor(mostBytes: number) {
    this.#buffer = new Resizable(0, { maxByteLength: mostBytes });
    this.#mostBytes = mostBytes;
  }
  readonly #mostBytes: number;

  add(chunk: Uint8Array): void {
    const from = this.#sizeBytes;
    this.#sizeBytes += chunk.length;
    if (this.#sizeBytes > this.#buffer.byteLength) {
      this.#buffer.resize(Math.min(this.#mostBytes, this.#sizeBytes + stepBytes));
    }
    new Uint8Array(this.#buffer).set(chunk, from);
  }

  whole(): Buffer {
    return Buffer.from(this.#buffer, 0, this.#sizeBytes);
  }
}

/** New memory of the same kind, all of it readable at once. */
export function openLargeMemory(sizeBytes: number): Buffer {
  const buffer = new Resizable(0, { maxByteLength: sizeBytes });
  buffer.resize(sizeBytes);
  return Buffer.from(buffer, 0, sizeBytes);
}

/** Whether these bytes may be handed to a thread, which leaves none behind. */
export const isHandedOver = ({ buffer }: Uint8Array): boolean => isResizable(buffer);

/** Gives the memory back at once; ordinary buffers are left to the collector. */
export function freeMemory({ buffer }: Uint8Array): void {
  // What was handed over is empty here, and belongs to the thread.
  if (isResizable(buffer) && buffer.byteLength > 0) buffer.resize(0);
}
