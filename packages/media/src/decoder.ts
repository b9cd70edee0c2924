import { spawn } from 'node:child_process';
import path from 'node:path';

/** A program that decodes videos: an ffmpeg that was asked for its version and gave it. */
export interface Decoder {
  readonly program: string;
}

/** Of the question whether it works. */
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
    const problem = await runDecoder(
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
 * Runs it with nothing of our environment, which holds secrets. Undefined when the program ended
 * well; otherwise why it did not, in words for a log.
 */
export function runDecoder(
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

/** What every run begins with: it asks nobody anything, and says no more than what went wrong. */
const quietly = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y'];
/** Larger than any vendor's video; a forged header must not make the decoder ask for gigabytes. */
const maxPixels = 40_000_000;
/** Of one table or picture; a forged count must not either. */
const maxPieceBytes = 268_435_456;

/**
 * The arguments that open one MP4 from `start` on. The decoder may open nothing but that file, and
 * takes it for an MP4 whatever it says it is: a playlist in it leads nowhere.
 */
export const openingArgs = (
  input: string,
  { threads, start = [] }: { readonly threads: number; readonly start?: readonly string[] },
): string[] => [
  ...quietly,
  '-max_alloc',
  String(maxPieceBytes),
  ...start,
  '-protocol_whitelist',
  'file',
  '-f',
  'mov',
  '-max_pixels',
  String(maxPixels),
  '-threads',
  String(threads),
  '-i',
  input,
];
