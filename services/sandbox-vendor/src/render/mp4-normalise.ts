/** A box of an MP4 file: 32-bit size, four letters, content. */
interface Box {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

const headerBytes = 8;
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
const timed = new Set(['mvhd', 'tkhd', 'mdhd']);

function* boxesOf(file: Buffer, { start, end }: { start: number; end: number }): Generator<Box> {
  let at = start;
  while (at + headerBytes <= end) {
    const size = file.readUInt32BE(at);
    if (size < headerBytes || at + size > end) {
      throw new Error(`the encoder wrote a broken MP4: box of ${size} bytes at ${at}`);
    }
    yield { kind: file.toString('latin1', at + 4, at + 8), start: at, end: at + size };
    at += size;
  }
}

function visit(file: Buffer, box: Box, act: (box: Box) => void): void {
  act(box);
  if (!containers.has(box.kind)) return;
  for (const inner of boxesOf(file, { start: box.start + headerBytes, end: box.end })) {
    visit(file, inner, act);
  }
}

/**
 * The encoder's file without its creation times, which would make equal videos differ, and with the
 * index before the data, so that players start before the whole file has come.
 */
export function normaliseMp4(encoded: Uint8Array): Buffer {
  const file = Buffer.from(encoded);
  const boxes = [...boxesOf(file, { start: 0, end: file.length })].filter(
    ({ kind }) => kind !== 'free',
  );
  const wanted = (...kinds: readonly string[]): readonly Box[] =>
    boxes.filter(({ kind }) => kinds.includes(kind));
  const ordered = [
    ...wanted('ftyp'),
    ...wanted('moov'),
    ...boxes.filter(({ kind }) => kind !== 'ftyp' && kind !== 'moov'),
  ];
  const moved = movedBy(ordered, 'mdat');
  for (const moov of wanted('moov')) {
    visit(file, moov, (box) => {
      if (timed.has(box.kind)) clearTimes(file, box);
      if (box.kind === 'stco') shiftOffsets(file, box, moved);
    });
  }
  return Buffer.concat(ordered.map(({ start, end }) => file.subarray(start, end)));
}

/** How far a box moves by the new order, in bytes. */
function movedBy(ordered: readonly Box[], kind: string): number {
  let at = 0;
  for (const box of ordered) {
    if (box.kind === kind) return at - box.start;
    at += box.end - box.start;
  }
  throw new Error(`the encoder wrote an MP4 without ${kind}`);
}

/**
 * Version, flags, then creation and modification time; the encoder writes version 0, with 32-bit
 * times.
 */
function clearTimes(file: Buffer, { kind, start }: Box): void {
  if (file.readUInt8(start + headerBytes) !== 0) {
    throw new Error(`the encoder wrote a ${kind} of an unknown version`);
  }
  file.fill(0, start + headerBytes + 4, start + headerBytes + 12);
}

function shiftOffsets(file: Buffer, { start }: Box, by: number): void {
  const count = file.readUInt32BE(start + headerBytes + 4);
  for (let index = 0; index < count; index += 1) {
    const place = start + headerBytes + 8 + index * 4;
    file.writeUInt32BE(file.readUInt32BE(place) + by, place);
  }
}
