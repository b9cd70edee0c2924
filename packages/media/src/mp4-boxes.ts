import { MediaError } from './media-error.ts';

/**
 * A box of ISO/IEC 14496-12 within some bytes: its content lies from `contentStart` up to `end`.
 */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
}

/** As many bytes as the longest box header takes. */
export const boxHeaderBytes = 16;

/**
 * Reads one box header. `limit` is where the surrounding box or file ends; a box that would leave
 * it throws `unreadable_video`.
 */
export function readBoxHeader(
  header: Uint8Array,
  { start, limit }: { readonly start: number; readonly limit: number },
): Box {
  if (header.length < 8) throw broken('the file ends inside a box header');
  // A file of empty boxes has ten thousand: a view and a buffer for each would take ten times as long.
  const byte = (at: number): number => header[at] ?? 0;
  const type = String.fromCharCode(byte(4), byte(5), byte(6), byte(7));
  const short = byte(0) * 0x1000000 + byte(1) * 0x10000 + byte(2) * 0x100 + byte(3);
  if (short === 1 && header.length < boxHeaderBytes) {
    throw broken('the file ends inside a box header');
  }
  const headerLength = short === 1 ? boxHeaderBytes : 8;
  const size =
    short === 1 ? Number(viewOf(header).getBigUint64(8)) : short === 0 ? limit - start : short;
  if (size < headerLength) throw broken('a box is smaller than its own header');
  if (start + size > limit) {
    throw broken('the file ends inside a box, or a box leaves the one around it');
  }
  return { type, start, contentStart: start + headerLength, end: start + size };
}

/**
 * Real containers have a dozen; a megabyte of empty boxes would become a hundred megabytes of
 * objects.
 */
const maxSiblings = 1_000;
/** Of all levels of one piece of a file; every one takes its microsecond from everybody else. */
const maxBoxes = 4_000;
const boxesSeen = new WeakMap<Uint8Array, number>();

/** The boxes from `start` up to `end`. Fewer than eight bytes at the end are padding. */
export function boxesIn(bytes: Uint8Array, start: number, end: number): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = start; at + 8 <= end;) {
    const box = readBoxHeader(bytes.subarray(at, Math.min(at + boxHeaderBytes, end)), {
      start: at,
      limit: end,
    });
    if (boxes.push(box) > maxSiblings) throw broken('a box holds too many boxes');
    at = box.end;
  }
  const seen = (boxesSeen.get(bytes) ?? 0) + boxes.length;
  if (seen > maxBoxes) throw broken('the file has too many boxes');
  boxesSeen.set(bytes, seen);
  return boxes;
}

/** A box around these parts, with a short header. */
export function wrapBox(type: string, ...content: readonly Uint8Array[]): Uint8Array {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.reduce((total, part) => total + part.length, 0), 0);
  header.write(type, 4, 4, 'latin1');
  return Buffer.concat([header, ...content]);
}

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const broken = (message: string, cause?: unknown): MediaError =>
  new MediaError('unreadable_video', message, cause);
