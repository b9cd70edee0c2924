import { access, constants, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { FileChangedError, type DownloadOptions, type GatewayClient } from '@gateway/client';
import { CommandError, UsageError } from './exit-codes.ts';
import { sha256Of } from './files.ts';
import { showing, type StatusLine } from './status-line.ts';

export interface FileRequest {
  readonly id: string;
  readonly file: NonNullable<DownloadOptions['file']>;
  /** Where it goes, as an absolute path. */
  readonly target: string;
  readonly onProgress: (progress: { readonly bytes: number; readonly size: number }) => void;
  readonly signal: AbortSignal;
}

/** Throws unless a file can be made there: better known before a video is paid for. */
export async function checkTarget(target: string): Promise<void> {
  const folder = path.dirname(target);
  try {
    await access(folder, constants.W_OK);
  } catch {
    throw new UsageError(`No file can be made in ${folder}: name another with --output.`);
  }
  const found = await stat(target).catch(() => undefined);
  if (found?.isDirectory() === true) {
    throw new UsageError(`${target} is a folder: name a file with --output.`);
  }
}

/**
 * Fetches a file of a video, and goes on with what an earlier run has left. It appears under its
 * name when it is whole and has the hash that the gateway gave it; returns its size.
 */
export async function fetchFile(client: GatewayClient, request: FileRequest): Promise<number> {
  const there = await sizeOf(request.target);
  if (there > 0 && (await isThere(client, request, there))) return there;
  const part = `${request.target}.${request.id}.part`;
  const left = await sizeOf(part);
  const size =
    (left > 0 ? await fetchPart(client, request, { part, offset: left }) : undefined) ??
    (await fetchPart(client, request, { part, offset: 0 }));
  if (size === undefined) {
    await rm(part, { force: true });
    throw new CommandError(
      `The file of ${request.id} arrived with another hash than it has: try again.`,
    );
  }
  await rename(part, request.target);
  return size;
}

/** The same, with a bar. */
export const fetchWithBar = (
  client: GatewayClient,
  request: Omit<FileRequest, 'onProgress'>,
  line: StatusLine,
): Promise<number> =>
  showing(line, () =>
    fetchFile(client, {
      ...request,
      onProgress: line.progressOf(`downloading ${path.basename(request.target)}`),
    }),
  );

/** Undefined where what is there in the end is not the file. */
async function fetchPart(
  client: GatewayClient,
  { id, file, onProgress, signal }: FileRequest,
  { part, offset }: { readonly part: string; readonly offset: number },
): Promise<number | undefined> {
  try {
    const download = await client.videos.download(id, { file, offset, onProgress, signal });
    const handle = await open(part, offset > 0 ? 'a' : 'w');
    try {
      for await (const chunk of download) await handle.appendFile(chunk);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return (await etagOf(part)) === download.etag ? download.size : undefined;
  } catch (error) {
    if (error instanceof FileChangedError && offset > 0) return undefined;
    throw error;
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** The gateway's ETag is the SHA-256 of the bytes, in quotes. */
const etagOf = async (file: string): Promise<string> => `"${await sha256Of(file)}"`;

/** Whether an earlier run has put the file there and was killed before it could say so. */
async function isThere(
  client: GatewayClient,
  { id, file, target, signal }: FileRequest,
  there: number,
): Promise<boolean> {
  // With an offset it is asked first what the file is, and no bytes are fetched until somebody takes them.
  const { size, etag } = await client.videos.download(id, { file, offset: there, signal });
  return size === there && (await etagOf(target)) === etag;
}
