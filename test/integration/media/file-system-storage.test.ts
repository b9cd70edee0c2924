import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openFileSystemStorage, StorageError } from '@gateway/media';
import { itKeepsTheStorageContract } from '../../contracts/storage-contract.ts';

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => entry.name);

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
  beforeEach(async () => { folder = await aFolder(); });
  afterEach(() => rm(folder, { recursive: true }));

  it('is made with its parents when it is missing', async () => {
    const storage = await openFileSystemStorage({ folder: path.join(folder, 'a/b/c') });

    await expect(storage.checkReady()).resolves.toBeUndefined();
  });

  it('loses what a crash left unfinished an hour ago, and nothing else', async () => {
    const storage = await openFileSystemStorage({ folder });
    await storage.put('videos/old.mp4', Readable.from([Buffer.from('x')]), { maxBytes: 10 });
    const [unfinished = ''] = (await readdir(folder)).filter((name) => name.startsWith('.'));
    const hourAgo = new Date(Date.now() - 3_700_000);
    await writeFile(path.join(folder, unfinished, 'orphan'), 'half');
    await writeFile(path.join(folder, unfinished, 'in-progress'), 'half');
    await Promise.all([path.join(unfinished, 'orphan'), 'videos/old.mp4'].map((file) => utimes(path.join(folder, file), hourAgo, hourAgo)));

    await openFileSystemStorage({ folder });

    await expect(filesIn(folder).then((names) => names.sort())).resolves.toEqual(['in-progress', 'old.mp4']);
  });

  it('is not ready, and says so, when it cannot be written to', async () => {
    const storage = await openFileSystemStorage({ folder });
    const [unfinished = ''] = await readdir(folder);
    await rm(path.join(folder, unfinished), { recursive: true });

    await expect(storage.checkReady()).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(storage.put('key', Readable.from([Buffer.from('x')]), { maxBytes: 10 })).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('tells a put that cannot be placed apart from a missing object', async () => {
    const storage = await openFileSystemStorage({ folder });
    await mkdir(path.join(folder, 'taken'));

    const failure: unknown = await storage.put('taken', Readable.from([Buffer.from('x')]), { maxBytes: 10 }).catch((thrown: unknown) => thrown);

    expect(StorageError.is(failure) && failure.code).toBe('storage_unavailable');
    await expect(filesIn(folder)).resolves.toEqual([]);
  });

  it('stores a large object without holding it in memory', async () => {
    const storage = await openFileSystemStorage({ folder });
    const piece = Buffer.alloc(1024 * 1024);
    const pieces = 300;
    let peakBytes = 0;
    const content = Readable.from((function* generate() {
      for (let sent = 0; sent < pieces; sent += 1) {
        peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers);
        yield piece;
      }
    })());
    const beforeBytes = process.memoryUsage().arrayBuffers;

    await expect(storage.put('large', content, { maxBytes: 1e9 })).resolves.toMatchObject({ sizeBytes: pieces * piece.length });

    expect(peakBytes - beforeBytes).toBeLessThan(50 * 1024 * 1024);
  });
});
