import HME from 'h264-mp4-encoder';

/**
 * A real H.264 MP4: `ftyp free mdat moov free`, 64 × 48, 10 frames a second, as the encoder writes
 * it.
 */
export async function anMp4(frames: number): Promise<Buffer> {
  const encoder = await HME.createH264MP4Encoder();
  Object.assign(encoder, {
    width: 64,
    height: 48,
    frameRate: 10,
    quantizationParameter: 40,
    speed: 10,
  });
  encoder.initialize();
  for (let frame = 0; frame < frames; frame += 1) {
    encoder.addFrameRgba(new Uint8Array(64 * 48 * 4).fill(frame * 10));
  }
  encoder.finalize();
  const bytes = Buffer.from(encoder.FS.readFile(encoder.outputFilename));
  encoder.delete();
  return bytes;
}

export function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.reduce((total, part) => total + part.length, 0));
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...content]);
}

/** The same box with a 64-bit size, as files beyond 4 GiB have it. */
export function wideBox(type: string, size: bigint, content: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(1);
  header.write(type, 4, 'latin1');
  header.writeBigUInt64BE(size, 8);
  return Buffer.concat([header, content]);
}

export const uint32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
};

/** The boxes of a file or of a box's content, by type. */
export function boxesOf(bytes: Buffer): Map<string, Buffer> {
  const boxes = new Map<string, Buffer>();
  for (let at = 0; at + 8 <= bytes.length;) {
    const size = bytes.readUInt32BE(at);
    boxes.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at, at + size));
    at += size;
  }
  return boxes;
}

export const contentOf = (bytes: Buffer): Buffer => bytes.subarray(8);

/**
 * A copy in which the four bytes at `offset` behind the first occurrence of this box's type are
 * another number.
 */
export function withNumber(
  file: Buffer,
  change: { readonly box: string; readonly offset: number; readonly value: number },
): Buffer {
  const copy = Buffer.from(file);
  copy.writeUInt32BE(change.value, copy.indexOf(change.box, 0, 'latin1') + 4 + change.offset);
  return copy;
}

/**
 * The same pictures as a fragmented file: a `moov` without lengths, then one `moof` with its `mdat`
 * for each count of samples.
 */
export function fragmented(
  file: Buffer,
  sampleCounts: readonly number[],
  durations: 'in the track' | 'in the fragment' | 'in each sample' | 'in mehd',
): Buffer {
  const parts = boxesOf(file);
  const sampleDuration = 9_000; // a tenth of a second in the encoder's 90 kHz
  const moov = withNumber(withNumber(parts.get('moov')!, { box: 'mdhd', offset: 16, value: 0 }), {
    box: 'mvhd',
    offset: 16,
    value: 0,
  });
  const ofAnotherTrack = box('trex', uint32(0, 7, 1, 12_345, 0, 0));
  const trex = box(
    'trex',
    uint32(0, 1, 1, durations === 'in the track' ? sampleDuration : 0, 0, 0),
  );
  const mehd =
    durations === 'in mehd'
      ? [box('mehd', uint32(0, sampleCounts.reduce((a, b) => a + b, 0) * sampleDuration))]
      : [];
  const fragments = sampleCounts.flatMap((count) => [
    box(
      'moof',
      box('mfhd', uint32(0, 1)),
      trackFragment(count, { sampleDuration, durations }),
      box('traf', box('tfhd', uint32(0, 7)), box('trun', uint32(0, 1_000))),
    ),
    box('mdat', Buffer.alloc(50)),
  ]);
  return Buffer.concat([
    parts.get('ftyp')!,
    box('moov', contentOf(moov), box('mvex', ...mehd, ofAnotherTrack, trex)),
    ...fragments,
  ]);
}

function trackFragment(
  count: number,
  { sampleDuration, durations }: { readonly sampleDuration: number; readonly durations: string },
): Buffer {
  const perSample = Array.from({ length: count }, () => [sampleDuration, 50]).flat();
  const tfhd =
    durations === 'in the fragment'
      ? box('tfhd', uint32(0x2 | 0x8, 1, 1, sampleDuration))
      : box('tfhd', uint32(0, 1));
  const trun =
    durations === 'in each sample'
      ? box('trun', uint32(0x1 | 0x100 | 0x200, count, 0, ...perSample))
      : box('trun', uint32(0x1, count, 0));
  return box('traf', tfhd, trun);
}
