import { Readable } from 'node:stream';
import { StorageError, type MediaStorage } from './storage.ts';

/** What the database says of the installation that it belongs to. */
export interface InstallationFacts {
  id(): Promise<string>;
  /** How many of these ids of tasks and assets it has, or had and deleted. */
  countKnown(ids: readonly string[]): Promise<number>;
}

/** Whose the files in a storage are, as seen from one database. */
export type Ownership =
  | { readonly kind: 'ours' }
  | { readonly kind: 'foreign'; readonly owner: string }
  /** No owner is named, and the files are not known well enough to be claimed. */
  | { readonly kind: 'unclaimed'; readonly sample: Sample };

/** Files that were looked at because they carry the id of a task or an asset. */
export interface Sample {
  readonly files: number;
  readonly known: number;
}

/** Names the owner; no folder of media can have this name. */
const ownerKey = 'installation.json';
const mostOwnerBytes = 1_000;
const mediaFolders = ['videos', 'frames', 'inputs', 'assets'] as const;
/** Of each folder. */
const sampleSize = 250;
/** Crashes leave files that no row names; far fewer than this share. */
const knownShare = 0.9;
const namedId = /^[a-z]+\/((?:video|asset)_[0-9a-hjkmnp-tv-z]{26})(?:-|$)/;

/** Whoever wrote it, it was not a gateway: nothing is deleted until somebody has looked. */
const unreadable = 'unreadable';

/** The id in the storage; undefined where none is written. */
export async function readOwner(
  storage: Pick<MediaStorage, 'head' | 'read'>,
): Promise<string | undefined> {
  const head = await storage.head(ownerKey);
  if (head === undefined) return undefined;
  const text = head.sizeBytes > mostOwnerBytes ? '' : await textOf(storage);
  return installationIn(text);
}

async function textOf(storage: Pick<MediaStorage, 'read'>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of await storage.read(ownerKey)) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function installationIn(text: string): string {
  try {
    const { installation } = JSON.parse(text) as { installation?: unknown };
    return typeof installation === 'string' ? installation : unreadable;
  } catch {
    return unreadable;
  }
}

/** Makes the storage this installation's, whosever it was; with `ifAbsent` only if it is nobody's. */
export async function writeOwner(
  storage: Pick<MediaStorage, 'put'>,
  installation: string,
  { ifAbsent = false }: { readonly ifAbsent?: boolean } = {},
): Promise<void> {
  const content = Buffer.from(`${JSON.stringify({ installation })}\n`);
  await storage.put(ownerKey, Readable.from([content]), { maxBytes: mostOwnerBytes, ifAbsent });
}

/**
 * Whose the storage is. One that names nobody is claimed when it has no files of tasks and assets,
 * or when the database knows nearly all of those that are looked at. Of two that claim it at once
 * one wins.
 */
export async function findOwnership(
  storage: MediaStorage,
  installation: InstallationFacts,
): Promise<Ownership> {
  const id = await installation.id();
  const owner = await readOwner(storage);
  if (owner !== undefined) return judge(owner, id);
  const sample = await takeSample(storage, installation);
  if (sample.known < sample.files * knownShare) return { kind: 'unclaimed', sample };
  await writeOwner(storage, id, { ifAbsent: true }).catch((error: unknown) => {
    if (!StorageError.is(error) || error.code !== 'replaced') throw error;
  });
  return judge((await readOwner(storage)) ?? '', id);
}

const judge = (owner: string, id: string): Ownership =>
  owner === id ? { kind: 'ours' } : { kind: 'foreign', owner };

/** How well the database knows the files in the storage. */
export async function takeSample(
  { list }: Pick<MediaStorage, 'list'>,
  { countKnown }: Pick<InstallationFacts, 'countKnown'>,
): Promise<Sample> {
  const ids: string[] = [];
  for (const folder of mediaFolders) {
    const most = ids.length + sampleSize;
    for await (const { key } of list(folder)) {
      const id = namedId.exec(key)?.[1];
      if (id !== undefined) ids.push(id);
      if (ids.length === most) break;
    }
  }
  return { files: ids.length, known: ids.length === 0 ? 0 : await countKnown(ids) };
}
