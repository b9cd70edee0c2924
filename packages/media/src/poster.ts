import { createWriteStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openDecoderFolders, sizeOf } from './decoder-folders.ts';
import { openingArgs, runDecoder, type Decoder } from './decoder.ts';
import { createGate } from './gate.ts';
import { MediaError } from './media-error.ts';
import type { ByteRange } from './storage.ts';

export interface PosterCutterOptions {
  readonly decoder: Decoder;
  /** Where each video gets a folder of its own while it is cut: the system's temporary one if absent. */
  readonly temporaryFolder?: string;
}

/** A video of which any part can be read. */
export interface ReadableVideo {
  readonly sizeBytes: number;
  read(range: ByteRange): Promise<Readable>;
}

/**
 * The first picture of an MP4 as a small JPEG. Throws MediaError when there is none to be had, the
 * signal's reason, also while it waits for its turn, or what reading threw.
 */
export type PosterCutter = (video: ReadableVideo, signal: AbortSignal) => Promise<Buffer>;

/** A list shows pictures of up to 240 pixels, and screens have two dots for each. */
const edge = 480;
/** A page of a hundred videos loads in a second on a slow line. */
const maxBytes = 30_000;
/** From good to coarse, as the encoder counts; the first that is small enough is taken. */
const qualities = [4, 12, 31] as const;
/** Each takes up to 110 MiB, with a video of 8K. */
const atOnce = 2;
/** Of each end of the file: its index lies at one of them, and the first picture at the beginning. */
const endBytes = 8_388_608;

/**
 * Cuts posters by a child process of its own for each, two at a time, from the two ends of the file
 * alone: neither a large video nor a hostile one takes more.
 */
export async function createPosterCutter({
  decoder,
  temporaryFolder = os.tmpdir(),
}: PosterCutterOptions): Promise<PosterCutter> {
  const folders = await openDecoderFolders(temporaryFolder, 'gateway-poster-');
  const enter = createGate(atOnce);
  return async (video, signal) => {
    try {
      return await enter(
        () => folders.within((folder) => cut(decoder, video, { folder, signal })),
        signal,
      );
    } catch (error) {
      // A stream says of itself only that it was aborted.
      signal.throwIfAborted();
      throw error;
    }
  };
}

async function cut(
  { program }: Decoder,
  video: ReadableVideo,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<Buffer> {
  const input = path.join(folder, 'video.mp4');
  const outputOf = (quality: number): string => path.join(folder, `${quality}.jpg`);
  await writeEnds(video, input, signal);
  const args = [...openingArgs(input, { threads: 1 }), ...picturesArgs(outputOf)];
  const problem = await runDecoder({ program, args }, signal);
  signal.throwIfAborted();
  if (problem !== undefined) {
    throw new MediaError('unreadable_video', `no first picture was decoded: ${problem}`);
  }
  for (const quality of qualities) {
    const size = await sizeOf(outputOf(quality));
    if (size > 0 && size <= maxBytes) return readFile(outputOf(quality));
  }
  throw new MediaError('unreadable_video', 'no first picture was decoded, or only a large one');
}

/** What lies between the ends stays a hole, which takes no disk and reads as zeros. */
async function writeEnds(
  { sizeBytes, read }: ReadableVideo,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.truncate(sizeBytes);
  } finally {
    await handle.close();
  }
  for (const { start, end } of endsOf(sizeBytes)) {
    const into = createWriteStream(file, { flags: 'r+', start });
    await pipeline(await read({ start, end }), into, { signal });
  }
}

const endsOf = (sizeBytes: number): readonly ByteRange[] =>
  sizeBytes <= 2 * endBytes
    ? [{ start: 0, end: sizeBytes - 1 }]
    : [
        { start: 0, end: endBytes - 1 },
        { start: sizeBytes - endBytes, end: sizeBytes - 1 },
      ];

/** One picture, made small once, in each of the qualities. */
function picturesArgs(outputOf: (quality: number) => string): string[] {
  const small = `scale=w='min(${edge},iw)':h='min(${edge},ih)':force_original_aspect_ratio=decrease`;
  const labels = qualities.map((quality) => `[q${quality}]`);
  const filter = `[0:V:0]${small},format=yuvj420p,split=${labels.length}${labels.join('')}`;
  return [
    '-filter_complex',
    filter,
    ...qualities.flatMap((quality, index) => [
      '-map',
      labels[index] ?? '',
      '-frames:v',
      '1',
      '-c:v',
      'mjpeg',
      '-q:v',
      String(quality),
      '-f',
      'image2',
      '-update',
      '1',
      outputOf(quality),
    ]),
  ];
}
