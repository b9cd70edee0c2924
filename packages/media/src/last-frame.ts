import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openDecoderFolders, sizeOf } from './decoder-folders.ts';
import { openingArgs, runDecoder, type Decoder } from './decoder.ts';
import { MediaError } from './media-error.ts';

export interface FrameCutterOptions {
  readonly decoder: Decoder;
  /** For one video, all attempts together. */
  readonly timeoutMs: number;
  /** Of the JPEG. */
  readonly maxBytes: number;
  /** Where each video gets a folder of its own while it is cut: the system's temporary one if absent. */
  readonly temporaryFolder?: string;
}

/**
 * The last picture of an MP4 as a JPEG of the same size. Throws MediaError when there is none to be
 * had in time, or the signal's reason.
 */
export type FrameCutter = (video: Readable, signal: AbortSignal) => Promise<Buffer>;

/**
 * Cuts last frames by a child process without a shell, on a copy in a folder of its own. The
 * decoder may open nothing but that file.
 */
export async function createFrameCutter({
  decoder,
  timeoutMs,
  maxBytes,
  temporaryFolder = os.tmpdir(),
}: FrameCutterOptions): Promise<FrameCutter> {
  const folders = await openDecoderFolders(temporaryFolder, 'gateway-last-frame-');
  return (video, signal) =>
    folders.within(async (folder) => {
      const [input, output] = [path.join(folder, 'video.mp4'), path.join(folder, 'frame.jpg')];
      const timeUp = AbortSignal.timeout(timeoutMs);
      await pipeline(video, createWriteStream(input, { mode: 0o600 }), { signal });
      for (const start of starts) {
        const problem = await runDecoder(
          {
            program: decoder.program,
            args: [...openingArgs(input, { threads: 2, start }), ...lastPicture, output],
          },
          AbortSignal.any([signal, timeUp]),
        );
        signal.throwIfAborted();
        if (timeUp.aborted) {
          throw new MediaError(
            'unreadable_video',
            `no last frame was decoded within ${timeoutMs} ms`,
          );
        }
        const size = problem === undefined ? await sizeOf(output) : 0;
        if (size > maxBytes) {
          throw new MediaError('unreadable_video', `the last frame has ${size} bytes`);
        }
        if (size > 0) return await readFile(output);
      }
      throw new MediaError('unreadable_video', 'the video has no last frame that can be decoded');
    });
}

/**
 * The end is enough, but where the sound is longer than the pictures or the file has no index: then
 * all of it.
 */
const starts: readonly (readonly string[])[] = [['-sseof', '-2'], []];
/** Each picture replaces the one before it, so that the last one stays. */
const lastPicture: readonly string[] = [
  '-map',
  '0:v:0',
  '-an',
  '-sn',
  '-dn',
  '-vsync',
  '0',
  '-c:v',
  'mjpeg',
  '-pix_fmt',
  'yuvj420p',
  '-q:v',
  '2',
  '-f',
  'image2',
  '-update',
  '1',
];
