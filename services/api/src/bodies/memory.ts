import { forgetSlab, giveSlabBack, isSlab, takeSlab } from './slabs.ts';

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
/** Smaller ones come from memory that malloc has anyway. */
export const leastSlabBytes = 65_536;

/**
 * Memory outside the heap of V8: for most bodies a slab that was used before, for others pages of
 * their own, which grow without a copy and are given back to the system the moment they are freed.
 * Either goes to a thread and back without a copy.
 */
export class LargeMemory {
  readonly #buffer: ArrayBuffer;
  readonly #mostBytes: number;
  #sizeBytes = 0;

  /** `mostBytes` are reserved, and taken as they are written. */
  constructor(mostBytes: number) {
    this.#buffer = takeSlab(mostBytes) ?? new Resizable(0, { maxByteLength: mostBytes });
    this.#mostBytes = mostBytes;
  }

  add(chunk: Uint8Array): void {
    const from = this.#sizeBytes;
    this.#sizeBytes += chunk.length;
    if (this.#sizeBytes > this.#buffer.byteLength && isResizable(this.#buffer)) {
      this.#buffer.resize(Math.min(this.#mostBytes, this.#sizeBytes + stepBytes));
    }
    new Uint8Array(this.#buffer).set(chunk, from);
  }

  whole(): Buffer {
    return Buffer.from(this.#buffer, 0, this.#sizeBytes);
  }
}

/** All pieces in one; where there is a slab for them, it is given back by `freeMemory`. */
function joined(pieces: readonly Buffer[]): Buffer {
  const sizeBytes = pieces.reduce((sum, { length }) => sum + length, 0);
  const slab = sizeBytes > leastSlabBytes ? takeSlab(sizeBytes) : undefined;
  if (slab === undefined) return Buffer.concat(pieces, sizeBytes);
  const whole = Buffer.from(slab, 0, sizeBytes);
  let from = 0;
  for (const piece of pieces) {
    whole.set(piece, from);
    from += piece.length;
  }
  return whole;
}

/**
 * A socket of undici keeps so much before it asks to wait, and does not tell when it is gone: what is
 * shorter is in no memory that is used again.
 */
export const keptBySocketBytes = 65_536;

/** To copy so many costs as much as to write them to a socket by themselves. */
const copiedBytes = 131_072;

/** The same with short pieces copied together, of which each would be a packet. */
export function inFewPieces(pieces: readonly Buffer[]): Buffer[] {
  const few: Buffer[] = [];
  let short: Buffer[] = [];
  const join = (): void => {
    if (short.length > 0) few.push(joined(short));
    short = [];
  };
  for (const piece of pieces) {
    if (piece.length <= copiedBytes) short.push(piece);
    else {
      join();
      few.push(piece);
    }
  }
  join();
  return few;
}

/** ES2024, which Node has since version 21. */
interface TransferableBuffer {
  transfer?(bytes: number): ArrayBuffer;
}

/**
 * Gives back at once the memory that a piece of a body was read into, which nobody reads any more;
 * returns whether that was possible. The next piece gets the same memory, still in the processor's
 * caches: left to the collector, each piece of 64 KiB costs 10 to 20 µs for new pages.
 */
export function freePiece({ buffer, byteLength }: Buffer): boolean {
  const owned = buffer as TransferableBuffer;
  // Small buffers of others share one.
  if (owned.transfer === undefined || buffer.byteLength !== byteLength) return false;
  owned.transfer(0);
  return true;
}

/** New memory of the same kind, all of it readable at once. */
export function openLargeMemory(sizeBytes: number): Buffer {
  const buffer = new Resizable(0, { maxByteLength: sizeBytes });
  buffer.resize(sizeBytes);
  return Buffer.from(buffer, 0, sizeBytes);
}

/** Whether these bytes may be handed to a thread, which leaves none behind. */
export const isHandedOver = ({ buffer }: Uint8Array): boolean =>
  isResizable(buffer) || isSlab(buffer);

/** Whether others will write here once it is freed. */
export const isUsedAgain = ({ buffer }: Uint8Array): boolean => isSlab(buffer);

/**
 * Gives the memory back at once; ordinary buffers are left to the collector. No socket may have any of
 * it to write.
 */
export function freeMemory({ buffer }: Uint8Array): void {
  // What was handed over is empty here, and belongs to the thread.
  if (isResizable(buffer) && buffer.byteLength > 0) buffer.resize(0);
  else if (buffer instanceof ArrayBuffer) giveSlabBack(buffer);
}

/** The same where a socket may still be writing it. */
export function leaveMemory(bytes: Uint8Array): void {
  if (isUsedAgain(bytes)) forgetSlab(bytes.buffer);
  else freeMemory(bytes);
}
