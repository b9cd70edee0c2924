import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MediaError } from './media-error.ts';

/** A program that decodes videos: an ffmpeg that was asked for its version and gave it. */
export interface Decoder {
  readonly program: string;
}

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

const folderPrefix = 'gateway-last-frame-';
/**
 * Folders of a process that was killed are removed by the next one that starts; nobody works on one
 * for so long.
 */
const leftOverAfterMs = 3_600_000;
const versionTimeoutMs = 10_000;

export interface DecoderPlaces {
  /** The program itself, where it was named. */
  readonly programPath: string | undefined;
  /** Folders to look for an `ffmpeg` in otherwise, written like PATH. */
  readonly searchPath: string;
}

/**
 * The decoder that was named, or the first `ffmpeg` that works. Undefined when there is none;
 * throws when one was named and does not work.
 */
export async function findDecoder({
  programPath,
  searchPath,
}: DecoderPlaces): Promise<Decoder | undefined> {
  const programs =
    programPath === undefined
      ? searchPath
          .split(path.delimiter)
          .filter((folder) => folder !== '')
          .map((folder) => path.join(folder, 'ffmpeg'))
      : [programPath];
  for (const program of programs) {
    const problem = await run(
      { program, args: ['-hide_banner', '-version'] },
      AbortSignal.timeout(versionTimeoutMs),
    );
    if (problem === undefined) return { program };
    if (programPath !== undefined) {
      throw new Error(`the decoder ${programPath} does not work: ${problem}`);
    }
  }
  return undefined;
}

/**
 * Cuts last frames by a child process without a shell, on a copy in a folder of its own. The
 * decoder may open nothing but that file, and takes it for an MP4 whatever it says it is: a
 * playlist in it leads nowhere.
 */
export async function createFrameCutter({
  decoder,
  timeoutMs,
  maxBytes,
  temporaryFolder = os.tmpdir(),
}: FrameCutterOptions): Promise<FrameCutter> {
  await removeLeftOvers(temporaryFolder);
  return async (video, signal) => {
    const folder = await mkdtemp(path.join(temporaryFolder, folderPrefix));
    const [input, output] = [path.join(folder, 'video.mp4'), path.join(folder, 'frame.jpg')];
    const timeUp = AbortSignal.timeout(timeoutMs);
    try {
      await pipeline(video, createWriteStream(input, { mode: 0o600 }), { signal });
      for (const start of starts) {
        const problem = await run(
          { program: decoder.program, args: [...before, ...start, ...decode(input), output] },
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
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

const before = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y'];
/**
 * The end is enough, but where the sound is longer than the pictures or the file has no index: then
 * all of it.
 */
const starts: readonly (readonly string[])[] = [['-sseof', '-2'], []];
/** Larger than any vendor's video; a forged header must not make the decoder ask for gigabytes. */
const maxPixels = 40_000_000;

/** Each picture replaces the one before it, so that the last one stays. */
const decode = (input: string): string[] => [
  '-protocol_whitelist',
  'file',
  '-f',
  'mov',
  '-max_pixels',
  String(maxPixels),
  '-threads',
  '2',
  '-i',
  input,
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

/**
 * Runs it with nothing of our environment, which holds secrets. Undefined when the program ended
 * well; otherwise why it did not, in words for a log.
 */
function run(
  { program, args }: { readonly program: string; readonly args: readonly string[] },
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = '';
    const child = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {},
      signal,
      killSignal: 'SIGKILL',
      shell: false,
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('latin1')).slice(0, 500);
    });
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('close', (code) => {
      resolve(code === 0 ? undefined : `it ended with ${code ?? 'a signal'}: ${said.trim()}`);
    });
  });
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

async function removeLeftOvers(temporaryFolder: string): Promise<void> {
  for (const name of await readdir(temporaryFolder)) {
    if (!name.startsWith(folderPrefix)) continue;
    const folder = path.join(temporaryFolder, name);
    // another process may remove it meanwhile
    const found = await stat(folder).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - leftOverAfterMs) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
