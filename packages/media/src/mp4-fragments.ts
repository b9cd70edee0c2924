import { boxesIn, broken, viewOf, type Box } from './mp4-boxes.ts';

/** Flags of `tfhd` and `trun` that say which fields are there, and how many bytes each takes. */
const tfhdFields = [
  [0x1, 8],
  [0x2, 4],
  [0x8, 4],
] as const;
const tfhdDefaultDuration = 0x8;
const trunHeaderFields = [
  [0x1, 4],
  [0x4, 4],
] as const;
const trunSampleFields = [
  [0x100, 4],
  [0x200, 4],
  [0x400, 4],
  [0x800, 4],
] as const;
const trunSampleDuration = 0x100;

interface Track {
  readonly id: number;
  /** From `trex`, in the track's own time units. */
  readonly defaultDuration: number;
}

/** How long the samples of one `moof` last for the track, in its own time units. */
export function fragmentDuration(moof: Uint8Array, track: Track): number {
  const [outer] = boxesIn(moof, 0, moof.length);
  if (outer === undefined) return 0;
  const runs = boxesIn(moof, outer.contentStart, outer.end).filter(({ type }) => type === 'traf');
  return runs.reduce((total, traf) => total + trackFragmentDuration(moof, traf, track), 0);
}

function trackFragmentDuration(moof: Uint8Array, traf: Box, track: Track): number {
  const children = boxesIn(moof, traf.contentStart, traf.end);
  const header = children.find(({ type }) => type === 'tfhd');
  if (header === undefined) throw broken('a fragment has no header');
  const fields = fullBox(moof, header);
  if (fields.uint32(0) !== track.id) return 0;
  const hasDefault = (fields.flags & tfhdDefaultDuration) !== 0;
  const defaultDuration = hasDefault
    ? fields.uint32(4 + sizeOf(tfhdFields, fields.flags & (tfhdDefaultDuration - 1)))
    : track.defaultDuration;
  return children
    .filter(({ type }) => type === 'trun')
    .reduce((total, run) => total + runDuration(fullBox(moof, run), defaultDuration), 0);
}

function runDuration(run: FullBox, defaultDuration: number): number {
  const samples = run.uint32(0);
  if ((run.flags & trunSampleDuration) === 0) return samples * defaultDuration;
  const first = 4 + sizeOf(trunHeaderFields, run.flags);
  const step = sizeOf(trunSampleFields, run.flags);
  let total = 0;
  // throws at the end of the box, whatever `samples` claims
  for (let sample = 0; sample < samples; sample += 1) total += run.uint32(first + sample * step);
  return total;
}

const sizeOf = (
  fields: readonly (readonly [flag: number, bytes: number])[],
  flags: number,
): number => fields.reduce((total, [flag, bytes]) => total + ((flags & flag) === 0 ? 0 : bytes), 0);

interface FullBox {
  readonly flags: number;
  /** The number at this offset behind version and flags. */
  uint32(offset: number): number;
}

export function fullBox(bytes: Uint8Array, box: Box): FullBox {
  const view = viewOf(bytes.subarray(box.contentStart, box.end));
  const uint32 = (offset: number): number => {
    if (offset + 4 > view.byteLength) throw broken(`a ${box.type} box is cut off`);
    return view.getUint32(offset);
  };
  return { flags: uint32(0) & 0xff_ff_ff, uint32: (offset) => uint32(4 + offset) };
}
