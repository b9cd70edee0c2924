import type { EventEmitter } from 'node:events';
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  rm,
  utimes,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openFileSystemStorage, StorageError } from '@gateway/media';
import { itKeepsTheStorageContract } from '../../contracts/storage-contract.ts';

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

const aFolder = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'gateway-media-'));

itKeepsTheStorageContract('a folder', async () => {
  const folder = await aFolder();
  return {
    storage: await openFileSystemStorage({ folder: path.join(folder, 'media') }),
    countObjects: async () => (await filesIn(folder)).length,
    leaveUnfinished: () => writeFile(path.join(folder, 'media/.unfinished/half'), 'half'),
    close: () => rm(folder, { recursive: true }),
  };
});

describe('a storage folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await aFolder();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is made with its parents when it is missing', async () => {
    const storage = await openFileSystemStorage({ folder: path.join(folder, 'a/b/c') });

    await expect(storage.checkReady()).resolves.toBeUndefined();
  });

  it('keeps, when it is opened, what others have left unfinished: it may be theirs', async () => {
    const storage = await openFileSystemStorage({ folder });
    await storage.put('videos/old.mp4', Readable.from([Buffer.from('x')]), { maxBytes: 10 });
    const [unfinished = ''] = (await readdir(folder)).filter((name) => name.startsWith('.'));
    const yearAgo = new Date(Date.now() - 365 * 86_400_000);
    await writeFile(path.join(folder, unfinished, 'half'), 'half');
    await utimes(path.join(folder, unfinished, 'half'), yearAgo, yearAgo);

    await openFileSystemStorage({ folder });

    await expect(filesIn(folder).then((names) => names.sort())).resolves.toEqual([
      'half',
      'old.mp4',
    ]);
  });

  it('is not ready, and says so, when it cannot be written to', async () => {
    const storage = await openFileSystemStorage({ folder });
    const [unfinished = ''] = await readdir(folder);
    await rm(path.join(folder, unfinished), { recursive: true });

    await expect(storage.checkReady()).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(
      storage.put('key', Readable.from([Buffer.from('x')]), { maxBytes: 10 }),
    ).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('tells a put that cannot be placed apart from a missing object', async () => {
    const storage = await openFileSystemStorage({ folder });
    await mkdir(path.join(folder, 'taken'));

    const failure: unknown = await storage
      .put('taken', Readable.from([Buffer.from('x')]), { maxBytes: 10 })
      .catch((thrown: unknown) => thrown);

    expect(StorageError.is(failure) && failure.code).toBe('storage_unavailable');
    await expect(filesIn(folder)).resolves.toEqual([]);
  });

  it('stores a large object without holding it in memory', async () => {
    const storage = await openFileSystemStorage({ folder });
    const piece = Buffer.alloc(1024 * 1024);
    const pieces = 300;
    let peakBytes = 0;
    const content = Readable.from(
      (function* generate() {
        for (let sent = 0; sent < pieces; sent += 1) {
          peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers);
          yield piece;
        }
      })(),
    );
    const beforeBytes = process.memoryUsage().arrayBuffers;

    await expect(storage.put('large', content, { maxBytes: 1e9 })).resolves.toMatchObject({
      sizeBytes: pieces * piece.length,
    });

    expect(peakBytes - beforeBytes).toBeLessThan(50 * 1024 * 1024);
  });
});

describe('a storage folder on a disk that fails', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await aFolder();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const failing = (code: string) => (): Promise<FileHandle> =>
    Promise.reject(Object.assign(new Error(code), { code }));
  const someBytes = (): Readable => Readable.from([Buffer.alloc(100_000)]);

  it('names a full disk, keeps the old object and leaves nothing; with room again it goes on', async () => {
    let isFull = false;
    // what is written to this device fails as on a disk without room, by the kernel itself
    const storage = await openFileSystemStorage({
      folder,
      create: (file) => (isFull ? open('/dev/full', 'w') : open(file, 'wx')),
    });
    await storage.put('key', Readable.from([Buffer.from('old')]), { maxBytes: 10 });
    isFull = true;

    await expect(storage.put('key', someBytes(), { maxBytes: 200_000 })).rejects.toMatchObject({
      name: 'StorageError',
      code: 'storage_full',
    });
    await expect(storage.put('other', someBytes(), { maxBytes: 200_000 })).rejects.toMatchObject({
      code: 'storage_full',
    });

    await expect(filesIn(folder)).resolves.toEqual(['key']);
    expect(
      Buffer.concat((await (await storage.read('key')).toArray()) as Uint8Array[]).toString(),
    ).toBe('old');
    isFull = false;
    await expect(storage.put('other', someBytes(), { maxBytes: 200_000 })).resolves.toMatchObject({
      sizeBytes: 100_000,
    });
  });

  it.each([
    ['EROFS', 'storage_read_only'],
    ['EACCES', 'storage_refused'],
    ['EDQUOT', 'storage_full'],
    ['EIO', 'storage_unavailable'],
    ['EMFILE', 'storage_unavailable'],
  ])('names %s %s, when storing and when it should be ready', async (system, code) => {
    const content = someBytes();
    const storage = await openFileSystemStorage({ folder, create: failing(system) });

    await expect(storage.put('key', content, { maxBytes: 200_000 })).rejects.toMatchObject({
      code,
    });
    await expect(storage.checkReady()).rejects.toMatchObject({ code });

    expect(content.destroyed).toBe(true);
    await expect(filesIn(folder)).resolves.toEqual([]);
  });

  it('shows an object only after it is on the disk, and closes its file', async () => {
    const said: string[] = [];
    const storage = await openFileSystemStorage({
      folder,
      async create(file) {
        const handle = await open(file, 'wx');
        const sync = handle.sync.bind(handle);
        handle.sync = async () => {
          said.push(`synced, shown: ${await storage.exists('key')}`);
          await sync();
        };
        (handle as unknown as EventEmitter).once('close', () => said.push('closed'));
        return handle;
      },
    });

    await storage.put('key', someBytes(), { maxBytes: 200_000 });

    expect(said).toEqual(['synced, shown: false', 'closed']);
  });

  it('cannot be opened without a folder that can be made', async () => {
    await writeFile(path.join(folder, 'file'), 'x');

    await expect(
      openFileSystemStorage({ folder: path.join(folder, 'file/media') }),
    ).rejects.toMatchObject({ name: 'StorageError' });
  });
});
