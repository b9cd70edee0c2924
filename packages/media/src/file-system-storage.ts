import { createHash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  link,
  mkdir,
  open,
  opendir,
  rename,
  rm,
  stat,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { lendPieces } from './file-pieces.ts';
import { reading, storageSentences, toStorageError, writing } from './file-system-error.ts';
import {
  assertStorageKey,
  StorageError,
  type ByteRange,
  type ListedObject,
  type MediaStorage,
  type ObjectHead,
  type PutOptions,
  type ReadOptions,
  type StoredObject,
} from './storage.ts';

export interface FileSystemStorageOptions {
  /** Made when missing. Several processes may share it. */
  readonly folder: string;
  /** Makes the file that a put writes into. The file system's own when left out. */
  readonly create?: CreateFile;
}

type CreateFile = (file: string) => Promise<FileHandle>;

const createNew: CreateFile = (file) => open(file, 'wx', 0o640);

/**
 * Unfinished files are kept together, on the same file system as their final place: a rename stays
 * atomic, and a sweep looks into one folder instead of walking over every video. No key
 * can name it: segments never start with a dot.
 */
const unfinishedFolder = '.unfinished';

interface Folders {
  readonly root: string;
  readonly unfinished: string;
  readonly create: CreateFile;
}

/** Media in a folder. */
export async function openFileSystemStorage(
  options: FileSystemStorageOptions,
): Promise<MediaStorage> {
  const root = path.resolve(options.folder);
  const folders: Folders = {
    root,
    unfinished: path.join(root, unfinishedFolder),
    create: options.create ?? createNew,
  };
  const pathOf = (key: string): string => {
    assertStorageKey(key);
    return path.join(root, key);
  };
  const head: MediaStorage['head'] = async (key) => headOf(pathOf(key));

  await writing(mkdir(folders.unfinished, { recursive: true }));

  return {
    head,
    put: async (key, content, putOptions) =>
      store(content, { folders, target: pathOf(key), options: putOptions }),
    exists: async (key) => (await head(key)) !== undefined,
    read: async (key, range, readOptions) => openStream(pathOf(key), range, readOptions),
    lend: async (key, range, readOptions) =>
      lendPieces(await openFile(pathOf(key), readOptions), range, readOptions?.signal),
    delete: async (key) => writing(rm(pathOf(key), { force: true })),
    list: (folder) => {
      assertStorageKey(folder);
      return filesUnder(root, folder);
    },
    sweepUnfinished: async (before) => writing(sweep(folders, before.getTime())),
    checkReady: async () => writing(writeProbe(folders)),
  };
}

interface Placement {
  readonly folders: Folders;
  readonly target: string;
  readonly options: PutOptions;
}

/**
 * Write aside, sync, rename, sync the folder: a reader sees the old object or the whole new one,
 * also after a power cut.
 */
async function store(
  content: Readable,
  { folders, target, options }: Placement,
): Promise<StoredObject> {
  const unfinished = path.join(folders.unfinished, randomUUID());
  content.on('error', () => undefined); // it may fail before it is read; reading tells
  try {
    const handle = await writing(folders.create(unfinished));
    const stored = await closing(handle, () => copy(content, handle, options));
    await writing(
      moveInto(target, { unfinished, root: folders.root, ifAbsent: options.ifAbsent === true }),
    );
    return stored;
  } catch (thrown) {
    content.destroy();
    // the sweep gets it; the first failure is the one to tell
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw thrown;
  }
}

async function copy(
  content: Readable,
  handle: FileHandle,
  { maxBytes, signal }: PutOptions,
): Promise<StoredObject> {
  const stopReading = (): void => {
    content.destroy(signal?.reason as Error);
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', stopReading, { once: true });
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const part of content as AsyncIterable<Uint8Array | string>) {
      const chunk = typeof part === 'string' ? Buffer.from(part) : part;
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) {
        throw new StorageError('too_large', `the object is larger than ${maxBytes} bytes`);
      }
      hash.update(chunk);
      await writing(handle.appendFile(chunk));
    }
  } finally {
    signal?.removeEventListener('abort', stopReading);
  }
  await writing(handle.sync());
  return { sizeBytes, sha256: hash.digest('hex') };
}

async function moveInto(
  target: string,
  {
    unfinished,
    root,
    ifAbsent,
  }: { readonly unfinished: string; readonly root: string; readonly ifAbsent: boolean },
): Promise<void> {
  const folder = path.dirname(target);
  const firstMade = await mkdir(folder, { recursive: true });
  if (ifAbsent) await linkInto(target, unfinished);
  else await rename(unfinished, target);
  await syncFolder(folder);
  if (firstMade === undefined) return;
  // a new folder survives a power cut only once its own entry is written too
  for (let parent = path.dirname(folder); parent.startsWith(root); parent = path.dirname(parent)) {
    await syncFolder(parent);
  }
}

/** What a file system without hard links says of one. */
const noLinks: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** As a rename, which would replace what is there. */
async function linkInto(target: string, unfinished: string): Promise<void> {
  try {
    await link(unfinished, target);
    await rm(unfinished, { force: true });
  } catch (thrown) {
    const { code } = thrown as { code?: unknown };
    if (code === 'EEXIST') throw new StorageError('replaced', storageSentences.replaced, thrown);
    if (!noLinks.includes(code)) throw thrown;
    await rename(unfinished, target); // the caller has just found nothing there
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await closing(handle, () => handle.sync());
}

/** What `work` comes to, with the file closed in either case. */
async function closing<Result>(handle: FileHandle, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    await handle.close();
  }
}

async function headOf(file: string): Promise<ObjectHead | undefined> {
  try {
    const found = await stat(file);
    return found.isFile() ? { sizeBytes: found.size, version: versionOf(found) } : undefined;
  } catch (thrown) {
    const error = toStorageError(thrown, 'read');
    if (error.code === 'not_found') return undefined;
    throw error;
  }
}

/** A put makes a new file, so its number changes even when size and time do not. */
const versionOf = ({ ino, size, mtimeMs }: Stats): string => `${ino}-${size}-${mtimeMs}`;

async function openStream(
  file: string,
  range: ByteRange | undefined,
  options: ReadOptions = {},
): Promise<Readable> {
  const stream = (await openFile(file, options)).createReadStream({ ...range });
  return options.signal === undefined ? stream : addAbortSignal(options.signal, stream);
}

async function openFile(file: string, { signal, version }: ReadOptions = {}): Promise<FileHandle> {
  signal?.throwIfAborted();
  const handle = await reading(open(file, 'r'));
  try {
    const found = await reading(handle.stat());
    if (!found.isFile()) throw new StorageError('not_found', storageSentences.not_found);
    if (version !== undefined && version !== versionOf(found)) {
      throw new StorageError('replaced', storageSentences.replaced);
    }
    signal?.throwIfAborted();
    return handle;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

async function sweep({ unfinished }: Folders, olderThanMs: number): Promise<number> {
  let removed = 0;
  for await (const { name } of await opendir(unfinished)) {
    const file = path.join(unfinished, name);
    // another process may finish or sweep it meanwhile
    const found = await stat(file).catch(() => undefined);
    if (found === undefined || found.mtimeMs >= olderThanMs) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

async function* filesUnder(root: string, folder: string): AsyncGenerator<ListedObject> {
  const entries = await opendir(path.join(root, folder)).catch((thrown: unknown) => {
    const error = toStorageError(thrown, 'read');
    if (error.code === 'not_found') return [];
    throw error;
  });
  for await (const entry of entries) {
    const key = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesUnder(root, key);
    const found = entry.isFile()
      ? await stat(path.join(root, key)).catch(() => undefined)
      : undefined; // it may be deleted meanwhile
    if (found !== undefined) yield { key, modifiedAt: found.mtime };
  }
}

async function writeProbe({ unfinished, create }: Folders): Promise<void> {
  const file = path.join(unfinished, `ready-${randomUUID()}`);
  const handle = await create(file);
  try {
    await handle.writeFile('ready');
  } finally {
    await handle.close();
    await unlink(file);
  }
}
