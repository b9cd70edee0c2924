import { boxesIn, broken, wrapBox, type Box } from './mp4-boxes.ts';

/** What the probe needs of a `moov`: lengths, handlers and codecs. */
const keptChildren: Readonly<Partial<Record<string, readonly string[]>>> = {
  moov: ['mvhd', 'trak', 'mvex'],
  trak: ['tkhd', 'mdia'],
  mdia: ['mdhd', 'hdlr', 'minf'],
  minf: ['stbl'],
  stbl: ['stsd'],
  mvex: ['mehd', 'trex'],
};

/** Bytes of a sample entry in front of its own boxes, for the codecs that we can name. */
const entryHeaderBytes: Readonly<Partial<Record<string, number>>> = {
  ...Object.fromEntries(
    ['avc1', 'avc3', 'hvc1', 'hev1', 'av01', 'vp08', 'vp09', 'mp4v'].map((codec) => [codec, 78]),
  ),
  ...Object.fromEntries(['mp4a', 'ac-3', 'ec-3', 'Opus', 'fLaC'].map((codec) => [codec, 28])),
};
const codecConfigurations = ['avcC', 'hvcC', 'av1C', 'vpcC', 'esds'];

/** A track of a video has a few kilobytes of these boxes; a file with more is built to hurt. */
const maxSlimBytes = 256 * 1024;

/**
 * The `moov` box with only the boxes that the probe needs. Sample tables must not reach the parser:
 * it makes an object for each of the up to four billion samples that a table of twenty bytes may
 * claim (measured: 10 million take 16 s and 3.4 GB).
 */
export function slimMovie(moov: Uint8Array): Uint8Array {
  const [box] = boxesIn(moov, 0, moov.length);
  if (box?.type !== 'moov') throw broken('the file has no movie box');
  const slim = slimContainer(moov, box);
  if (slim.length > maxSlimBytes) throw broken('the movie box is not plausible');
  return slim;
}

function slimContainer(bytes: Uint8Array, container: Box): Uint8Array {
  const kept = keptChildren[container.type] ?? [];
  const children = boxesIn(bytes, container.contentStart, container.end).filter(({ type }) =>
    kept.includes(type),
  );
  return wrapBox(
    container.type,
    ...children
      .filter((child) => child.type !== 'trak' || hasKnownCodec(bytes, child))
      .map((child) => slimBox(bytes, child)),
  );
}

function slimBox(bytes: Uint8Array, box: Box): Uint8Array {
  if (box.type === 'stsd') return slimDescriptions(bytes, box);
  if (keptChildren[box.type] !== undefined) return slimContainer(bytes, box);
  return wrapBox(box.type, bytes.subarray(box.contentStart, box.end));
}

/**
 * The first sample entry with its codec configuration: that is all that decides how a track is
 * named.
 */
function slimDescriptions(bytes: Uint8Array, box: Box): Uint8Array {
  const entry = firstEntry(bytes, box);
  const headerBytes = entryHeaderBytes[entry?.type ?? ''];
  if (entry === undefined || headerBytes === undefined) {
    throw broken('a track has no usable sample description');
  }
  const childrenStart = entry.contentStart + headerBytes;
  if (childrenStart > entry.end) throw broken('a sample description is cut off');
  const fixed = bytes.subarray(entry.contentStart, childrenStart);
  const configurations = hasPlainLayout(entry.type, fixed)
    ? boxesIn(bytes, childrenStart, entry.end).filter(({ type }) =>
        codecConfigurations.includes(type),
      )
    : [];
  const slimEntry = wrapBox(
    entry.type,
    fixed,
    ...configurations.map((child) =>
      wrapBox(child.type, bytes.subarray(child.contentStart, child.end)),
    ),
  );
  return wrapBox('stsd', Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1), slimEntry);
}

/**
 * QuickTime's longer sound descriptions put their boxes elsewhere; the codec is named without them.
 */
const hasPlainLayout = (codec: string, fixed: Uint8Array): boolean =>
  entryHeaderBytes[codec] !== 28 || (fixed[8] === 0 && fixed[9] === 0);

function firstEntry(bytes: Uint8Array, descriptions: Box): Box | undefined {
  return boxesIn(bytes, descriptions.contentStart + 8, descriptions.end)[0];
}

/** Tracks of time codes, text or codecs that nobody plays do not count. */
function hasKnownCodec(bytes: Uint8Array, track: Box): boolean {
  const descriptions = ['mdia', 'minf', 'stbl', 'stsd'].reduce<Box | undefined>(
    (parent, type) =>
      parent === undefined
        ? undefined
        : boxesIn(bytes, parent.contentStart, parent.end).find((box) => box.type === type),
    track,
  );
  const entry = descriptions === undefined ? undefined : firstEntry(bytes, descriptions);
  return entry !== undefined && entryHeaderBytes[entry.type] !== undefined;
}
