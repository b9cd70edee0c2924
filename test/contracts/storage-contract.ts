import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findOwnership, StorageError, withOwner, type MediaStorage } from '@gateway/media';
import { eventually } from './eventually.ts';

export interface StorageUnderTest {
  readonly storage: MediaStorage;
  /** How many objects there are, unfinished ones included. */
  countObjects(): Promise<number>;
  /** Leaves behind what a crash in the middle of a put leaves. */
  leaveUnfinished(): Promise<void>;
  close(): Promise<void>;
}

const anyBytes = { maxBytes: 10_000_000 } as const;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (stream: Readable): Promise<Buffer> =>
  Buffer.concat((await stream.toArray()) as Uint8Array[]);
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (thrown: unknown) => (StorageError.is(thrown) ? thrown.code : thrown),
  );

/** In pieces that fit no block size. */
function streamOf(bytes: Buffer): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 7_001) pieces.push(bytes.subarray(at, at + 7_001));
  return Readable.from(pieces);
}

/** Every adapter of the storage port must pass this suite. */
export function itKeepsTheStorageContract(
  name: string,
  open: () => Promise<StorageUnderTest>,
): void {
  describe(`${name} as a media storage`, () => {
    let subject: StorageUnderTest;
    let storage: MediaStorage;
    beforeEach(async () => {
      subject = await open();
      storage = subject.storage;
    });
    afterEach(() => subject.close());

    itStores(() => storage);
    itStoresOnce(() => storage);
    itKnowsItsOwner(() => storage);
    itReads(() => storage);
    itLends(() => storage);
    itKeepsVersionsApart(() => storage);
    itLists(() => storage);
    itSweeps(() => subject);
    itLeavesNoTrace(() => subject);
    itRefusesKeys(() => subject);
  });
}

function itStores(storage: () => MediaStorage): void {
  it('stores what it is given and tells its size and hash', async () => {
    const bytes = randomBytes(300_000);

    const stored = await storage().put('videos/video_1.mp4', streamOf(bytes), anyBytes);

    expect(stored).toEqual({ sizeBytes: 300_000, sha256: sha256(bytes) });
    await expect(storage().head('videos/video_1.mp4')).resolves.toEqual({
      sizeBytes: 300_000,
      version: expect.stringMatching(/./),
    });
    expect(sha256(await storage().read('videos/video_1.mp4').then(bytesOf))).toBe(sha256(bytes));
  });

  it('stores an empty object', async () => {
    await expect(storage().put('empty', Readable.from([]), anyBytes)).resolves.toEqual({
      sizeBytes: 0,
      sha256: sha256(Buffer.alloc(0)),
    });
    await expect(storage().read('empty').then(bytesOf)).resolves.toHaveLength(0);
  });

  it.each([5 * 1024 * 1024 - 1, 5 * 1024 * 1024, 5 * 1024 * 1024 + 1, 17_000_000])(
    'stores %i bytes in whatever parts it takes',
    async (size) => {
      const bytes = randomBytes(size);

      await expect(storage().put('key', streamOf(bytes), { maxBytes: size })).resolves.toEqual({
        sizeBytes: size,
        sha256: sha256(bytes),
      });

      expect(sha256(await storage().read('key').then(bytesOf))).toBe(sha256(bytes));
      expect(
        sha256(
          await storage()
            .read('key', { start: size - 1_000, end: size - 1 })
            .then(bytesOf),
        ),
      ).toBe(sha256(bytes.subarray(-1_000)));
    },
  );

  it('takes an object of exactly the largest size', async () => {
    await expect(
      storage().put('key', streamOf(randomBytes(1_000)), { maxBytes: 1_000 }),
    ).resolves.toMatchObject({ sizeBytes: 1_000 });
  });

  it('replaces an object, and a reader of the old one still gets the whole old one', async () => {
    const old = randomBytes(2_000_000);
    await storage().put('key', streamOf(old), anyBytes);
    const reading = await storage().read('key');

    await storage().put('key', streamOf(Buffer.from('new')), anyBytes);

    expect(sha256(await bytesOf(reading))).toBe(sha256(old));
    await expect(storage().read('key').then(bytesOf)).resolves.toEqual(Buffer.from('new'));
  });

  it('shows nothing under the key until the object is whole', async () => {
    const content = new PassThrough();
    const storing = storage().put('key', content, anyBytes);
    content.write('half');

    await expect(storage().exists('key')).resolves.toBe(false);
    content.end('and the rest');
    await storing;

    await expect(storage().exists('key')).resolves.toBe(true);
  });

  it('keeps one whole object when two are put under one key at once', async () => {
    const contents = [randomBytes(500_000), randomBytes(500_000)];

    const stored = await Promise.all(
      contents.map((bytes) => storage().put('key', streamOf(bytes), anyBytes)),
    );

    expect(stored.map((each) => each.sha256)).toContain(
      sha256(await storage().read('key').then(bytesOf)),
    );
  });

  it('is ready', async () => {
    await expect(storage().checkReady()).resolves.toBeUndefined();
  });
}

function itStoresOnce(storage: () => MediaStorage): void {
  const once = { ...anyBytes, ifAbsent: true } as const;

  it('stores what may replace nothing where there is nothing', async () => {
    await expect(storage().put('key', streamOf(Buffer.from('first')), once)).resolves.toMatchObject(
      { sizeBytes: 5 },
    );

    await expect(storage().read('key').then(bytesOf)).resolves.toEqual(Buffer.from('first'));
  });

  it('refuses it where there is something, and leaves that as it is', async () => {
    await storage().put('key', streamOf(Buffer.from('first')), anyBytes);

    await expect(codeOf(storage().put('key', streamOf(Buffer.from('second')), once))).resolves.toBe(
      'replaced',
    );

    await expect(storage().read('key').then(bytesOf)).resolves.toEqual(Buffer.from('first'));
  });

  it('lets one of many succeed that store it at once', async () => {
    const codes = await Promise.all(
      Array.from({ length: 8 }, (_unused, index) =>
        codeOf(storage().put('key', streamOf(Buffer.from(String(index))), once)),
      ),
    );

    const winner = codes.indexOf('no error');
    expect(codes.filter((code) => code === 'replaced')).toHaveLength(7);
    await expect(storage().read('key').then(bytesOf)).resolves.toEqual(Buffer.from(String(winner)));
  });
}

const taskIdOf = (index: number): string => `video_${String(index).padStart(26, '0')}`;
const installationThatKnows = (id: string, known: readonly string[]) => ({
  id: () => Promise.resolve(id),
  countKnown: (ids: readonly string[]) =>
    Promise.resolve(ids.filter((each) => known.includes(each)).length),
});

function itKnowsItsOwner(storage: () => MediaStorage): void {
  const putVideos = async (count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, (_unused, index) => taskIdOf(index));
    for (const id of ids) {
      await storage().put(`videos/${id}-1-0123456789ab.mp4`, streamOf(Buffer.from('x')), anyBytes);
    }
    return ids;
  };

  it('belongs to the first installation that finds it empty, and to no other', async () => {
    await expect(findOwnership(storage(), installationThatKnows('one', []))).resolves.toEqual({
      kind: 'ours',
    });
    await expect(findOwnership(storage(), installationThatKnows('one', []))).resolves.toEqual({
      kind: 'ours',
    });

    await expect(findOwnership(storage(), installationThatKnows('two', []))).resolves.toEqual({
      kind: 'foreign',
      owner: 'one',
    });
  });

  it('belongs to one of several that find it empty at once', async () => {
    const found = await Promise.all(
      ['one', 'two', 'three'].map((id) => findOwnership(storage(), installationThatKnows(id, []))),
    );

    expect(found.filter(({ kind }) => kind === 'ours')).toHaveLength(1);
    expect(found.filter(({ kind }) => kind === 'foreign')).toHaveLength(2);
  });

  it('is claimed by a database that knows nine tenths of its files, and by no other', async () => {
    const ids = await putVideos(10);

    await expect(
      findOwnership(storage(), installationThatKnows('new', ids.slice(0, 8))),
    ).resolves.toEqual({ kind: 'unclaimed', sample: { files: 10, known: 8 } });
    await expect(
      findOwnership(storage(), installationThatKnows('ours', ids.slice(0, 9))),
    ).resolves.toEqual({ kind: 'ours' });
  });

  it('is guarded: nothing is stored or deleted in another installation’s, and reading goes on', async () => {
    await findOwnership(storage(), installationThatKnows('one', []));
    await putVideos(1);
    const guarded = withOwner(storage(), installationThatKnows('two', []));
    const key = `videos/${taskIdOf(0)}-1-0123456789ab.mp4`;

    const codes = await Promise.all([
      codeOf(guarded.put('videos/new', streamOf(Buffer.from('x')), anyBytes)),
      codeOf(guarded.delete(key)),
      codeOf(guarded.sweepUnfinished(new Date(Date.now() + 3_600_000))),
      codeOf(guarded.checkReady()),
    ]);

    expect(codes).toEqual(Array.from({ length: 4 }, () => 'storage_refused'));
    await expect(guarded.exists(key)).resolves.toBe(true);
    await expect(guarded.exists('videos/new')).resolves.toBe(false);
  });
}

function itReads(storage: () => MediaStorage): void {
  it.each([
    [0, 0],
    [0, 99_999],
    [99_999, 99_999],
    [12_345, 67_890],
  ])('reads bytes %i to %i, both included', async (start, end) => {
    const bytes = randomBytes(100_000);
    await storage().put('key', streamOf(bytes), anyBytes);

    expect(sha256(await storage().read('key', { start, end }).then(bytesOf))).toBe(
      sha256(bytes.subarray(start, end + 1)),
    );
  });

  it('knows of nothing under an unused key', async () => {
    await expect(storage().head('nothing')).resolves.toBeUndefined();
    await expect(storage().exists('nothing')).resolves.toBe(false);
    await expect(codeOf(storage().read('nothing'))).resolves.toBe('not_found');
    await expect(codeOf(storage().read('nothing', { start: 0, end: 1 }))).resolves.toBe(
      'not_found',
    );
  });

  it('knows of no object under the first half of a key', async () => {
    await storage().put('videos/key', streamOf(Buffer.from('x')), anyBytes);

    await expect(storage().exists('videos')).resolves.toBe(false);
    await expect(codeOf(storage().read('videos'))).resolves.toBe('not_found');
    await expect(storage().exists('videos/key/more')).resolves.toBe(false);
  });

  it('forgets an object that is deleted, and minds no second time', async () => {
    await storage().put('videos/key', streamOf(Buffer.from('x')), anyBytes);

    await storage().delete('videos/key');
    await storage().delete('videos/key');
    await storage().delete('never/there');

    await expect(storage().exists('videos/key')).resolves.toBe(false);
  });
}

function itLends(storage: () => MediaStorage): void {
  const copyOf = async (pieces: AsyncIterable<Uint8Array>): Promise<Buffer> => {
    const copies: Buffer[] = [];
    for await (const piece of pieces) copies.push(Buffer.from(piece));
    return Buffer.concat(copies);
  };

  it.each([0, 1, 262_144, 524_288, 1_000_001])(
    'lends all %i bytes, piece by piece',
    async (size) => {
      const bytes = randomBytes(size);
      await storage().put('key', streamOf(bytes), anyBytes);

      expect(sha256(await copyOf(await storage().lend('key')))).toBe(sha256(bytes));
    },
  );

  it.each([
    [0, 0],
    [0, 699_999],
    [699_999, 699_999],
    [12_345, 567_890],
    [0, 262_143],
    [1, 262_144],
  ])('lends bytes %i to %i, both included', async (start, end) => {
    const bytes = randomBytes(700_000);
    await storage().put('key', streamOf(bytes), anyBytes);

    expect(sha256(await copyOf(await storage().lend('key', { start, end })))).toBe(
      sha256(bytes.subarray(start, end + 1)),
    );
  });

  it('lends nothing that is not there, replaced, or asked for too late', async () => {
    await storage().put('key', streamOf(Buffer.from('old')), anyBytes);
    const { version } = (await storage().head('key'))!;
    await storage().put('key', streamOf(Buffer.from('new')), anyBytes);

    await expect(codeOf(storage().lend('nothing'))).resolves.toBe('not_found');
    await expect(codeOf(storage().lend('../key'))).resolves.toBe('invalid_key');
    await expect(codeOf(storage().lend('key', undefined, { version }))).resolves.toBe('replaced');
    await expect(
      storage().lend('key', undefined, { signal: AbortSignal.abort(new Error('gone')) }),
    ).rejects.toThrow();
  });

  it('ends what it lends when the signal aborts', async () => {
    await storage().put('key', streamOf(randomBytes(9_000_000)), anyBytes);
    const controller = new AbortController();
    const pieces = await storage().lend('key', undefined, { signal: controller.signal });
    await pieces.next();

    controller.abort(new Error('the client is gone'));

    await expect(copyOf(pieces)).rejects.toThrow();
  });

  it('takes back what was lent and not used, also twice', async () => {
    await storage().put('key', streamOf(randomBytes(3_000_000)), anyBytes);
    const pieces = await storage().lend('key');

    await pieces.return?.();
    await pieces.return?.();

    await expect(
      pieces.next().then(
        ({ done }) => done,
        () => true,
      ),
    ).resolves.toBe(true);
  });
}

function itKeepsVersionsApart(storage: () => MediaStorage): void {
  it('reads the version that it is asked for, whole and in part', async () => {
    await storage().put('key', streamOf(Buffer.from('0123456789')), anyBytes);
    const { version } = (await storage().head('key'))!;

    await expect(storage().read('key', undefined, { version }).then(bytesOf)).resolves.toEqual(
      Buffer.from('0123456789'),
    );
    await expect(
      storage().read('key', { start: 2, end: 4 }, { version }).then(bytesOf),
    ).resolves.toEqual(Buffer.from('234'));
  });

  it('refuses to read a version that was replaced, and tells it from one that is gone', async () => {
    await storage().put('key', streamOf(Buffer.from('old')), anyBytes);
    const { version } = (await storage().head('key'))!;
    await storage().put('key', streamOf(Buffer.from('new')), anyBytes);

    await expect(codeOf(storage().read('key', { start: 0, end: 1 }, { version }))).resolves.toBe(
      'replaced',
    );
    await storage().delete('key');
    await expect(codeOf(storage().read('key', { start: 0, end: 1 }, { version }))).resolves.toBe(
      'not_found',
    );
  });

  it('does not begin to read when the signal is aborted already', async () => {
    await storage().put('key', streamOf(Buffer.from('x')), anyBytes);

    await expect(
      storage().read('key', undefined, { signal: AbortSignal.abort(new Error('gone')) }),
    ).rejects.toThrow();
  });

  it('ends a stream that was handed out when the signal aborts', async () => {
    await storage().put('key', streamOf(randomBytes(3_000_000)), anyBytes);
    const controller = new AbortController();
    const stream = await storage().read('key', undefined, { signal: controller.signal });
    stream.on('error', () => undefined);

    controller.abort(new Error('the client is gone'));

    await eventually(() => stream.closed);
    expect(stream.readableEnded).toBe(false);
  });
}

function itLists(storage: () => MediaStorage): void {
  const keysIn = async (folder: string): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of storage().list(folder)) keys.push(key);
    return keys.sort();
  };

  it('lists what is in a folder, and when it was stored', async () => {
    const before = Date.now() - 2_000;
    for (const key of ['videos/a.mp4', 'videos/b/c.mp4', 'videosx/d', 'frames/e', 'videos-f']) {
      await storage().put(key, streamOf(Buffer.from('x')), anyBytes);
    }

    await expect(keysIn('videos')).resolves.toEqual(['videos/a.mp4', 'videos/b/c.mp4']);
    for await (const { modifiedAt } of storage().list('videos')) {
      expect(modifiedAt.getTime()).toBeGreaterThan(before);
    }
  });

  it('lists nothing where nothing was ever stored', async () => {
    await expect(keysIn('nothing')).resolves.toEqual([]);
  });

  it.each(['', '..', '/', 'a/', '.unfinished'])('refuses to list the folder %j', async (folder) => {
    await expect(
      codeOf(
        (async () => {
          for await (const { key } of storage().list(folder)) throw new Error(key);
        })(),
      ),
    ).resolves.toBe('invalid_key');
  });
}

function itSweeps(subject: () => StorageUnderTest): void {
  it('removes what was left unfinished before a moment, and no finished object', async () => {
    const { storage, leaveUnfinished, countObjects } = subject();
    await storage.put('videos/a.mp4', streamOf(Buffer.from('x')), anyBytes);
    await leaveUnfinished();
    await expect(countObjects()).resolves.toBe(2);

    await expect(storage.sweepUnfinished(new Date(Date.now() - 3_600_000))).resolves.toBe(0);
    await expect(countObjects()).resolves.toBe(2);
    await expect(storage.sweepUnfinished(new Date(Date.now() + 3_600_000))).resolves.toBe(1);
    await expect(countObjects()).resolves.toBe(1);
    await expect(storage.exists('videos/a.mp4')).resolves.toBe(true);
  });
}

function itLeavesNoTrace(subject: () => StorageUnderTest): void {
  const failingAfter = (pieces: number, error: Error): Readable =>
    Readable.from(
      (function* generate() {
        for (let piece = 0; piece < pieces; piece += 1) yield Buffer.alloc(50_000);
        throw error;
      })(),
    );

  it.each([0, 3, 300])(
    'leaves no trace of content that fails after %i pieces, and throws its very error',
    async (pieces) => {
      const error = new Error('the vendor hung up');

      await expect(
        subject().storage.put('key', failingAfter(pieces, error), { maxBytes: 20_000_000 }),
      ).rejects.toBe(error);

      await expect(subject().countObjects()).resolves.toBe(0);
    },
  );

  it('leaves no trace of content that failed before it was read', async () => {
    const content = new PassThrough();
    content.destroy(new Error('gone at once'));

    await expect(subject().storage.put('key', content, anyBytes)).rejects.toThrow('gone at once');

    await expect(subject().countObjects()).resolves.toBe(0);
  });

  it.each([1_000_000, 12_000_000])(
    'leaves no trace of an object larger than %i bytes, and stops reading it',
    async (maxBytes) => {
      const content = Readable.from(
        (function* generate() {
          for (;;) yield Buffer.alloc(50_000);
        })(),
      );

      await expect(codeOf(subject().storage.put('key', content, { maxBytes }))).resolves.toBe(
        'too_large',
      );

      expect(content.destroyed).toBe(true);
      await expect(subject().countObjects()).resolves.toBe(0);
    },
  );

  it('leaves no trace of an aborted object, though its content stalls', async () => {
    const content = new PassThrough();
    const controller = new AbortController();
    content.write('half');
    const storing = subject().storage.put('key', content, {
      ...anyBytes,
      signal: controller.signal,
    });
    await eventually(() => content.readableLength === 0); // what there is has been taken

    controller.abort(new Error('shutting down'));

    await expect(storing).rejects.toThrow('shutting down');
    expect(content.destroyed).toBe(true);
    await expect(subject().countObjects()).resolves.toBe(0);
  });

  it('does not begin when the signal is aborted already', async () => {
    const signal = AbortSignal.abort(new Error('too late'));

    await expect(
      subject().storage.put('key', streamOf(Buffer.from('x')), { ...anyBytes, signal }),
    ).rejects.toThrow('too late');

    await expect(subject().countObjects()).resolves.toBe(0);
  });

  it('keeps the old object when its replacement fails', async () => {
    await subject().storage.put('key', streamOf(Buffer.from('old')), anyBytes);

    await subject()
      .storage.put('key', failingAfter(2, new Error('no')), anyBytes)
      .catch(() => undefined);

    await expect(subject().storage.read('key').then(bytesOf)).resolves.toEqual(Buffer.from('old'));
    await expect(subject().countObjects()).resolves.toBe(1);
  });
}

function itRefusesKeys(subject: () => StorageUnderTest): void {
  const badKeys = [
    '',
    '/',
    '/etc/passwd',
    '../secret',
    'a/../b',
    'a/..',
    '..',
    '.',
    './a',
    'a/./b',
    'a//b',
    'a/',
    '.hidden',
    'a/.hidden',
    'a..b',
    'Upper',
    'a b',
    'a\\b',
    'a\0b',
    'a\n',
    'ä',
    'a%2e',
    `a/${'b'.repeat(201)}`,
    'a/'.repeat(300) + 'b',
    '-a',
  ];

  it.each(badKeys)('refuses the key %j everywhere', async (key) => {
    const { storage } = subject();

    const codes = await Promise.all([
      codeOf(storage.put(key, streamOf(Buffer.from('x')), anyBytes)),
      codeOf(storage.head(key)),
      codeOf(storage.exists(key)),
      codeOf(storage.read(key)),
      codeOf(storage.delete(key)),
    ]);

    expect(codes).toEqual(Array.from({ length: 5 }, () => 'invalid_key'));
    await expect(subject().countObjects()).resolves.toBe(0);
  });
}
