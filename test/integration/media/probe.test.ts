import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  MediaError,
  openFileSystemStorage,
  probeAsset,
  probeMp4,
  sourceFromBytes,
  sourceFromStorage,
  StorageError,
  withFileSource,
  type ProbeSource,
} from '@gateway/media';
import {
  anMp4,
  box,
  boxesOf,
  contentOf,
  fragmented,
  uint32,
  wideBox,
  withNumber,
} from './mp4-files.ts';

let file: Buffer;
let faststart: Buffer;
beforeAll(async () => {
  file = await anMp4(20);
  const parts = boxesOf(file);
  faststart = Buffer.concat(['ftyp', 'moov', 'free', 'mdat'].map((type) => parts.get(type)!));
});

const facts = {
  container: 'mp4',
  videoCodec: 'avc1.42000a',
  seconds: 2,
  width: 64,
  height: 48,
  hasAudio: false,
};
const probe = (bytes: Uint8Array) => probeMp4(sourceFromBytes(bytes));
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (thrown: unknown) => (MediaError.is(thrown) ? thrown.code : thrown),
  );

type Part = 'ftyp' | 'moov' | 'mdat' | 'mvhd' | 'trak' | 'tkhd' | 'mdia' | 'mdhd' | 'hdlr';
const partsOf = (bytes: Buffer): Record<Part, Buffer> =>
  Object.fromEntries(boxesOf(bytes)) as Record<Part, Buffer>;

const aTrack = (handler: string, description: Buffer): Buffer =>
  box(
    'trak',
    box('tkhd', Buffer.alloc(84)),
    box(
      'mdia',
      box('mdhd', uint32(0, 0, 0, 44_100, 88_200, 0)),
      box('hdlr', uint32(0, 0), Buffer.from(handler), Buffer.alloc(13)),
      box('minf', box('stbl', box('stsd', uint32(0, 1), description))),
    ),
  );
const aSoundTrack = (): Buffer => aTrack('soun', box('mp4a', Buffer.alloc(28)));

/** Counts what is read. */
function watched(
  bytes: Uint8Array,
  sizeBytes = bytes.length,
): { source: ProbeSource; readBytes: () => number; reads: () => number } {
  let total = 0;
  let reads = 0;
  return {
    readBytes: () => total,
    reads: () => reads,
    source: {
      sizeBytes,
      read(start, end) {
        reads += 1;
        total += end - start + 1;
        return Promise.resolve(bytes.subarray(start, end + 1));
      },
    },
  };
}

describe('probing a video', () => {
  it('tells its facts wherever the movie box is', async () => {
    await expect(probe(file)).resolves.toEqual(facts);
    await expect(probe(faststart)).resolves.toEqual(facts);
  });

  it('tells a QuickTime file apart', async () => {
    const mov = Buffer.from(file);
    mov.write('qt  ', 8, 'latin1');

    await expect(probe(mov)).resolves.toEqual({ ...facts, container: 'mov' });
  });

  it('finds the sound', async () => {
    const { ftyp, moov, mdat } = partsOf(file);
    const withSound = Buffer.concat([ftyp, box('moov', contentOf(moov), aSoundTrack()), mdat]);

    await expect(probe(withSound)).resolves.toEqual({
      ...facts,
      hasAudio: true,
      audioCodec: 'mp4a',
    });
  });

  it('finds the sound of a QuickTime file, whose description is longer', async () => {
    const { ftyp, moov, mdat } = partsOf(file);
    const version1 = Buffer.concat([
      Buffer.alloc(8),
      Buffer.from([0, 1]),
      Buffer.alloc(18),
      Buffer.alloc(16, 0xff),
    ]);
    const withSound = Buffer.concat([
      ftyp,
      box('moov', contentOf(moov), aTrack('soun', box('mp4a', version1))),
      mdat,
    ]);

    await expect(probe(withSound)).resolves.toEqual({
      ...facts,
      hasAudio: true,
      audioCodec: 'mp4a',
    });
  });

  it('passes over tracks that nobody plays', async () => {
    const { ftyp, moov, mdat } = partsOf(file);
    const { mvhd, trak } = partsOf(contentOf(moov));
    const movie = box(
      'moov',
      mvhd,
      aTrack('tmcd', box('tmcd', Buffer.alloc(20))),
      box('trak'),
      trak,
    );

    await expect(probe(Buffer.concat([ftyp, movie, mdat]))).resolves.toEqual(facts);
  });

  it('reads from a storage and from a file alike', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'gateway-probe-'));
    const storage = await openFileSystemStorage({ folder });
    await storage.put('videos/video_1.mp4', Readable.from([file]), { maxBytes: 1e6 });
    await writeFile(path.join(folder, 'direct.mp4'), file);

    await expect(probeMp4(await sourceFromStorage(storage, 'videos/video_1.mp4'))).resolves.toEqual(
      facts,
    );
    await expect(
      withFileSource(path.join(folder, 'direct.mp4'), (source) => probeMp4(source)),
    ).resolves.toEqual(facts);
    await expect(sourceFromStorage(storage, 'videos/none.mp4')).rejects.toMatchObject({
      code: 'not_found',
    });
    await rm(folder, { recursive: true });
  });

  it('reads nothing of the pictures of a file of gigabytes', async () => {
    const { ftyp, moov } = partsOf(file);
    const pictureBytes = 6_000_000_000;
    const start = Buffer.concat([ftyp, wideBox('mdat', BigInt(pictureBytes))]);
    const movieAt = ftyp.length + pictureBytes;
    let readBytes = 0;
    const source: ProbeSource = {
      sizeBytes: movieAt + moov.length,
      read(from, to) {
        readBytes += to - from + 1;
        return Promise.resolve(
          from >= movieAt
            ? moov.subarray(from - movieAt, to + 1 - movieAt)
            : start.subarray(from, to + 1),
        );
      },
    };

    await expect(probeMp4(source)).resolves.toEqual(facts);
    expect(readBytes).toBeLessThan(200_000);
  });

  it('passes on what reading throws', async () => {
    const error = new StorageError('storage_unavailable', 'gone');

    await expect(probeMp4({ sizeBytes: 100, read: () => Promise.reject(error) })).rejects.toBe(
      error,
    );
  });

  it.each(['in the track', 'in the fragment', 'in each sample', 'in mehd'] as const)(
    'adds up fragments whose lengths stand %s',
    async (durations) => {
      await expect(probe(fragmented(file, [10, 15, 5], durations))).resolves.toEqual({
        ...facts,
        seconds: 3,
      });
    },
  );
});

describe('a file that is no video', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a byte', Buffer.alloc(1)],
    ['a page', Buffer.from('<!doctype html><html><body>Error 403</body></html>')],
    ['JSON', Buffer.from('{"error":{"message":"expired"}}')],
    ['zeros', Buffer.alloc(1_000)],
    ['a PNG', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')],
  ])('is not_a_video: %s', async (_case, bytes) => {
    await expect(codeOf(probe(bytes))).resolves.toBe('not_a_video');
  });

  it('is not_a_video when it has no track with pictures', async () => {
    const { ftyp, moov, mdat } = partsOf(file);
    const asSound = Buffer.concat([
      ftyp,
      box('moov', boxesOf(contentOf(moov)).get('mvhd')!, aSoundTrack()),
      mdat,
    ]);

    await expect(codeOf(probe(asSound))).resolves.toBe('not_a_video');
  });
});

describe('a broken video', () => {
  it('is unreadable wherever it is cut off, with the movie box first or last', async () => {
    for (const whole of [file.subarray(0, file.lastIndexOf('free') - 4), faststart]) {
      for (let length = 16; length < whole.length; length += 1) {
        expect([length, await codeOf(probe(whole.subarray(0, length)))]).toEqual([
          length,
          'unreadable_video',
        ]);
      }
    }
  });

  it.each<[string, () => Buffer]>([
    ['a box beyond the end', () => Buffer.concat([file, uint32(1_000), Buffer.from('mdat')])],
    [
      'a 64-bit box beyond everything',
      () => Buffer.concat([file, wideBox('mdat', 0xffff_ffff_ffff_ffffn)]),
    ],
    [
      'a 64-bit box that ends inside its header',
      () => Buffer.concat([file, uint32(1), Buffer.from('mdat')]),
    ],
    [
      'a box smaller than its header',
      () => Buffer.concat([file, uint32(4), Buffer.from('free'), Buffer.alloc(8)]),
    ],
    [
      'a child that leaves its parent',
      () => withNumber(file, { box: 'mdia', offset: -8, value: 100_000 }),
    ],
    ['no movie box', () => Buffer.concat([partsOf(file).ftyp, partsOf(file).mdat])],
    ['no pictures', () => Buffer.concat([partsOf(file).ftyp, partsOf(file).moov])],
    [
      'an empty box of pictures',
      () => Buffer.concat([partsOf(file).ftyp, partsOf(file).moov, box('mdat')]),
    ],
    ['no length', () => withNumber(file, { box: 'mdhd', offset: 16, value: 0 })],
    ['no time scale', () => withNumber(file, { box: 'mdhd', offset: 12, value: 0 })],
    ['an unknown length', () => withNumber(file, { box: 'mdhd', offset: 16, value: 0xffff_ffff })],
    [
      'a length of months',
      () =>
        withNumber(withNumber(file, { box: 'mdhd', offset: 12, value: 1 }), {
          box: 'mdhd',
          offset: 16,
          value: 10_000_000,
        }),
    ],
    ['no size', () => withNumber(file, { box: 'avc1', offset: 24, value: 0 })],
    [
      'a sample description of nothing',
      () => withNumber(file, { box: 'avc1', offset: -8, value: 20 }),
    ],
    [
      'fragments that claim more samples than they hold',
      () =>
        withNumber(fragmented(file, [3], 'in each sample'), {
          box: 'trun',
          offset: 4,
          value: 0xffff_ffff,
        }),
    ],
    ['fragments without lengths', () => fragmented(file, [], 'in the track')],
    [
      'ten thousand empty boxes',
      () => Buffer.concat([file, ...Array.from({ length: 10_001 }, () => box('free'))]),
    ],
    ['a box of half a header', () => Buffer.concat([file, uint32(4, 8), Buffer.from('free')])],
    [
      'a movie box full of empty boxes',
      () =>
        Buffer.concat([
          partsOf(file).ftyp,
          box(
            'moov',
            contentOf(partsOf(file).moov),
            ...Array.from({ length: 2_000 }, () => box('free')),
          ),
          box('mdat', Buffer.alloc(1)),
        ]),
    ],
    [
      'a movie header of half a megabyte',
      () =>
        Buffer.concat([
          partsOf(file).ftyp,
          box('moov', box('mvhd', Buffer.alloc(500_000)), contentOf(partsOf(file).moov)),
          box('mdat', Buffer.alloc(1)),
        ]),
    ],
  ])('with %s is unreadable', async (_case, build) => {
    await expect(codeOf(probe(build()))).resolves.toBe('unreadable_video');
  });

  it('with a movie box of a gigabyte is refused without reading it', async () => {
    const start = Buffer.concat([
      partsOf(file).ftyp,
      box('mdat', Buffer.alloc(1)),
      uint32(1_000_000_000),
      Buffer.from('moov'),
    ]);
    const { source, readBytes } = watched(start, start.length - 8 + 1_000_000_000);

    await expect(codeOf(probeMp4(source))).resolves.toBe('unreadable_video');
    expect(readBytes()).toBeLessThan(100_000);
  });

  it('of ten thousand empty boxes costs a few reads', async () => {
    const boxes = Array.from({ length: 9_990 }, () => box('free'));
    const { source, reads } = watched(
      Buffer.concat([partsOf(file).ftyp, ...boxes, partsOf(file).moov, partsOf(file).mdat]),
    );

    await expect(probeMp4(source)).resolves.toEqual(facts);
    expect(reads()).toBeLessThan(5);
  });

  it('of boxes that lie far apart is refused after a bounded number of reads', async () => {
    const apart = box('free', Buffer.alloc(20_000));
    const { source, reads } = watched(
      Buffer.concat([partsOf(file).ftyp, ...Array.from({ length: 3_000 }, () => apart)]),
    );

    await expect(codeOf(probeMp4(source))).resolves.toBe('unreadable_video');
    expect(reads()).toBeLessThanOrEqual(1_000);
  });

  it('of boxes within boxes within boxes is refused before it takes long', async () => {
    const many = (inner: Buffer): Buffer[] => Array.from({ length: 100 }, () => inner);
    const { ftyp, moov, mdat } = partsOf(file);
    const tracks = many(box('trak', ...many(box('mdia', ...many(box('free'))))));
    const hostile = Buffer.concat([ftyp, box('moov', contentOf(moov), ...tracks), mdat]);

    await expect(codeOf(probe(hostile))).resolves.toBe('unreadable_video');
  });

  it.each(['video/mp4', 'image/png', 'audio/wav'] as const)(
    'is given up at one deadline when the storage does not respond: %s',
    async (type) => {
      let isGivenUp = false;
      const source: ProbeSource = {
        sizeBytes: 1_000,
        read: (_start, _end, signal) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => {
              isGivenUp = true;
              reject(new Error('given up'));
            });
          }),
      };

      await expect(probeAsset(type, source, { deadlineMs: 20 })).rejects.toMatchObject({
        name: 'StorageError',
        code: 'storage_unavailable',
      });
      expect(isGivenUp).toBe(true);
    },
  );

  it('whose sample table claims four billion samples costs neither time nor memory', async () => {
    const hostile = withNumber(withNumber(file, { box: 'stsz', offset: 4, value: 1 }), {
      box: 'stsz',
      offset: 8,
      value: 0xffff_ffff,
    });
    const startedAt = performance.now();

    // the table is not needed, and so not believed
    await expect(probe(hostile)).resolves.toEqual(facts);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('that hides such a table in a sample description costs nothing either', async () => {
    const stsz = box('stsz', uint32(0, 1, 0xffff_ffff));
    const { mvhd, trak } = partsOf(contentOf(partsOf(file).moov));
    const { tkhd, mdia } = partsOf(contentOf(trak));
    const { mdhd, hdlr } = partsOf(contentOf(mdia));
    const avc1At = file.indexOf('avc1') - 4;
    const avc1 = file.subarray(avc1At, avc1At + file.readUInt32BE(avc1At));
    const descriptions = box(
      'stsd',
      uint32(0, 0xffff_ffff),
      box('avc1', contentOf(avc1), stsz),
      stsz,
    );
    const movie = box(
      'moov',
      mvhd,
      box('trak', tkhd, box('mdia', mdhd, hdlr, box('minf', box('stbl', descriptions)))),
    );

    await expect(
      probe(Buffer.concat([partsOf(file).ftyp, movie, box('mdat', Buffer.alloc(1))])),
    ).resolves.toEqual(facts);
  });

  it('is a response and never a crash, whatever bytes are changed', async () => {
    const change = fc.tuple(fc.nat(faststart.length - 1), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const bytes = Buffer.from(faststart);
        for (const [at, value] of changes) bytes[at] = value;
        const outcome = await probe(bytes).then(
          ({ seconds, width }) => seconds > 0 && width > 0,
          (thrown: unknown) => MediaError.is(thrown),
        );
        expect(outcome).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
