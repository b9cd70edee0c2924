import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { GatewayClient, VideoRequest } from '@gateway/client';
import { sha256Of } from './files.ts';
import type { StatusLine } from './status-line.ts';
import { mediaTypeOf, type GivenReference } from './video-request.ts';

type References = NonNullable<VideoRequest['references']>;

/** A reference with what its file holds, by which the same command is known again. */
export type KnownReference = GivenReference & { readonly sha256?: string };

/** Reads the files that a video is to be made from, before anything is asked of the gateway. */
export const readReferences = (
  references: readonly GivenReference[],
  folder: string,
): Promise<KnownReference[]> =>
  Promise.all(
    references.map(async (reference) => {
      if (!reference.isFile) return reference;
      const from = path.resolve(folder, reference.from);
      return { ...reference, from, sha256: await sha256Of(from) };
    }),
  );

/** How many of the account's assets are looked through for one with the same bytes. */
const mostAssets = 300;

/**
 * References as a request has them: files are uploaded, unless the account has the same bytes among
 * its newest assets, as after an earlier run that was interrupted.
 */
export async function uploadReferences(
  client: GatewayClient,
  references: readonly KnownReference[],
  { line, signal }: { readonly line: StatusLine; readonly signal: AbortSignal },
): Promise<References> {
  const files = references.filter(({ isFile }) => isFile);
  const known = await assetsWith(client, new Set(files.map(({ sha256 = '' }) => sha256)), signal);
  const uploaded: References[number][] = [];
  for (const { type, role, from, isFile, sha256 = '' } of references) {
    const place = { type, ...(role !== undefined && { role }) };
    const url = isFile
      ? (known.get(sha256) ?? (await upload(client, { from, line, signal })))
      : from;
    if (isFile) known.set(sha256, url);
    uploaded.push({ ...place, url });
  }
  return uploaded;
}

async function assetsWith(
  client: GatewayClient,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (wanted.size === 0) return found;
  let seen = 0;
  for await (const { id, sha256 } of client.assets.list({ signal })) {
    if (wanted.has(sha256)) found.set(sha256, id);
    seen += 1;
    if (found.size === wanted.size || seen === mostAssets) break;
  }
  return found;
}

async function upload(
  client: GatewayClient,
  {
    from,
    line,
    signal,
  }: { readonly from: string; readonly line: StatusLine; readonly signal: AbortSignal },
): Promise<string> {
  const name = path.basename(from);
  const bytes = Uint8Array.from(await readFile(from));
  const { id } = await client.assets.upload(bytes, {
    name,
    contentType: mediaTypeOf(from),
    signal,
    onProgress: line.progressOf(`uploading ${name}`),
  });
  return id;
}
