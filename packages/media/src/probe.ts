import type { Movie, Track } from 'mp4box';
import { isC2pa, readContentCredentials, type ContentCredentials } from './c2pa.ts';
import { MediaError } from './media-error.ts';
import { boxesIn, boxHeaderBytes, broken, readBoxHeader, wrapBox, type Box } from './mp4-boxes.ts';
import { fragmentDuration, fullBox } from './mp4-fragments.ts';
import { withBoundedReads, type AheadSource, type ProbeBounds } from './probe-reads.ts';
import type { ProbeSource } from './probe-source.ts';
import { slimMovie } from './slim-movie.ts';
import { sniffBytes, sniffMediaType } from './sniff.ts';

export interface VideoProbe {
  readonly container: 'mp4' | 'mov';
  /** By RFC 6381, for instance `avc1.64001f`. */
  readonly videoCodec: string;
  readonly audioCodec?: string;
  /** Length of the video track; not rounded. */
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly hasAudio: boolean;
  /** Only where the file carries some. */
  readonly contentCredentials?: ContentCredentials;
}

/** A minute of video has some hundred kilobytes of `moov`; what is larger than this is not read. */
const maxMovieBytes = 16 * 1024 * 1024;
const maxFragmentHeaderBytes = 1024 * 1024;
const maxTopLevelBoxes = 10_000;
/** Manifests hold small pictures; of a larger one nothing is read but that it is there. */
const maxManifestBytes = 4 * 1024 * 1024;
/** Others may have private boxes too. */
const maxPrivateBoxes = 16;
/** A week: no vendor renders longer, and a nonsense duration must not become a bill. */
const maxSeconds = 7 * 86_400;

/**
 * What a stored file is: reads box headers and the `moov`, wherever that is, and none of the
 * pictures. Throws MediaError `not_a_video`, or `unreadable_video` for a file that is cut off or
 * broken; passes on what `source.read` throws. Small parts that lie side by side cost one read, their
 * number is bounded, and so is the time for all of them.
 */
export const probeMp4 = (source: ProbeSource, bounds?: ProbeBounds): Promise<VideoProbe> =>
  withBoundedReads(source, probeWithin, bounds);

async function probeWithin(source: AheadSource): Promise<VideoProbe> {
  const container = await containerOf(source);
  const layout = await scan(source);
  const slim = slimMovie(await readBox(source, layout.moov, maxMovieBytes));
  const movie = await parseMovie(slim);
  const [video] = movie.videoTracks;
  if (video === undefined) throw new MediaError('not_a_video', 'the file has no video track');
  const seconds = await secondsOf(video, { source, layout, slim, movie });
  const { width, height } = video.video ?? { width: 0, height: 0 };
  if (width === 0 || height === 0) throw broken('the video has no dimensions');
  const audioCodec = movie.audioTracks[0]?.codec;
  const contentCredentials = await contentCredentialsOf(source, layout);
  return {
    container,
    videoCodec: video.codec,
    ...(audioCodec === undefined ? {} : { audioCodec }),
    seconds,
    width,
    height,
    hasAudio: audioCodec !== undefined,
    ...(contentCredentials !== undefined && { contentCredentials }),
  };
}

/** What a private box of the file says about its origin; undefined where none does. */
async function contentCredentialsOf(
  source: ProbeSource,
  { privateBoxes }: Layout,
): Promise<ContentCredentials | undefined> {
  for (const { contentStart, end } of privateBoxes.slice(0, maxPrivateBoxes)) {
    if (end - contentStart < 16) continue;
    if (!isC2pa(await source.read(contentStart, contentStart + 15))) continue;
    if (end - contentStart > maxManifestBytes) return {};
    return readContentCredentials(await source.read(contentStart, end - 1));
  }
  return undefined;
}

async function containerOf(source: ProbeSource): Promise<'mp4' | 'mov'> {
  const type =
    source.sizeBytes === 0
      ? undefined
      : sniffMediaType(await source.read(0, Math.min(sniffBytes, source.sizeBytes) - 1));
  if (type === 'video/mp4') return 'mp4';
  if (type === 'video/quicktime') return 'mov';
  throw new MediaError('not_a_video', 'the file is not an MP4 video');
}

interface Layout {
  readonly moov: Box;
  readonly fragments: readonly Box[];
  readonly privateBoxes: readonly Box[];
}

/**
 * Walks over the top level from header to header. Every box must end inside the file: that is how a
 * cut-off file shows.
 */
async function scan(source: AheadSource): Promise<Layout> {
  const boxes: Box[] = [];
  let seen = 0;
  for (let at = 0; at + 8 <= source.sizeBytes;) {
    const last = Math.min(at + boxHeaderBytes, source.sizeBytes) - 1;
    const header = source.peek(at, last) ?? (await source.read(at, last));
    const box = readBoxHeader(header, { start: at, limit: source.sizeBytes });
    seen += 1;
    if (seen > maxTopLevelBoxes) throw broken('the file has too many boxes');
    if (wantedTypes.includes(box.type)) boxes.push(box);
    at = box.end;
  }
  return layoutOf(boxes);
}

const wantedTypes: readonly string[] = ['moov', 'moof', 'mdat', 'uuid'];

function layoutOf(boxes: readonly Box[]): Layout {
  const moov = boxes.find(({ type }) => type === 'moov');
  if (moov === undefined) throw broken('the file has no movie box');
  if (!boxes.some(({ type, contentStart, end }) => type === 'mdat' && end > contentStart)) {
    throw broken('the file has no pictures');
  }
  const all = (wanted: string): Box[] => boxes.filter(({ type }) => type === wanted);
  return { moov, fragments: all('moof'), privateBoxes: all('uuid') };
}

async function readBox(source: ProbeSource, box: Box, maxBytes: number): Promise<Uint8Array> {
  const size = box.end - box.start;
  if (size > maxBytes) throw broken(`a ${box.type} box of ${size} bytes is not plausible`);
  return source.read(box.start, box.end - 1);
}

async function parseMovie(slim: Uint8Array): Promise<Movie> {
  // At the first file: a megabyte and a half that a process at rest does without.
  const { createFile, Log, MP4BoxBuffer } = await import('mp4box');
  // The library prints to the console about broken files; here they are an outcome.
  Log.error = () => undefined;
  const brand = wrapBox('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1'));
  const bytes = Uint8Array.from(Buffer.concat([brand, slim])).buffer;
  let movie: Movie | undefined;
  const file = createFile();
  file.onReady = (found) => {
    movie = found;
  };
  try {
    file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(bytes, 0));
  } catch (thrown) {
    throw broken('the movie box cannot be read', thrown);
  }
  if (movie === undefined) throw broken('the movie box cannot be read');
  return movie;
}

interface Parts {
  readonly source: ProbeSource;
  readonly layout: Layout;
  readonly slim: Uint8Array;
  readonly movie: Movie;
}

async function secondsOf(track: Track, parts: Parts): Promise<number> {
  const announced = parts.movie.isFragmented
    ? announcedSeconds(parts.movie)
    : known(track.duration) / track.timescale;
  const seconds = announced > 0 ? announced : (await fragmentUnits(track, parts)) / track.timescale;
  if (!(seconds > 0) || seconds > maxSeconds) throw broken('the video has no plausible length');
  return seconds;
}

/** A fragmented file may say its length in `mehd`. */
const announcedSeconds = ({ fragment_duration: announced }: Movie): number =>
  announced === undefined ? 0 : known(announced.num) / announced.den;

/** All bits set means that the writer did not know. */
const known = (duration: number): number => (duration >= 0xffff_ffff ? 0 : duration);

async function fragmentUnits(track: Track, { source, layout, slim }: Parts): Promise<number> {
  const described = { id: track.id, defaultDuration: defaultDuration(slim, track.id) };
  let units = 0;
  for (const fragment of layout.fragments) {
    units += fragmentDuration(await readBox(source, fragment, maxFragmentHeaderBytes), described);
  }
  return units;
}

/** The sample duration that `trex` gives for fragments which give none. */
function defaultDuration(slim: Uint8Array, trackId: number): number {
  const [moov] = boxesIn(slim, 0, slim.length);
  const within = (box: Box | undefined): readonly Box[] =>
    box === undefined ? [] : boxesIn(slim, box.contentStart, box.end);
  const defaults = within(within(moov).find(({ type }) => type === 'mvex'))
    .filter(({ type }) => type === 'trex')
    .map((box) => fullBox(slim, box));
  return defaults.find((trex) => trex.uint32(0) === trackId)?.uint32(8) ?? 0;
}
