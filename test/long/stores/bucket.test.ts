/** @workers 3: it promises no times. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openS3Storage, type MediaStorage, type S3StorageOptions } from '@gateway/media';
import { eventually, openTestS3, type S3Operation, type TestS3 } from '@gateway/testing';
import { openBucketUnderTest } from '../../contracts/bucket-under-test.ts';
import { itKeepsTheStorageContract } from '../../contracts/storage-contract.ts';

const optionsFor = ({
  url,
  bucketName,
  accessKeyId,
  secretAccessKey,
}: Pick<TestS3, 'url' | 'bucketName' | 'accessKeyId' | 'secretAccessKey'>): S3StorageOptions => ({
  endpoint: url,
  bucket: bucketName,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId, secretAccessKey },
});

itKeepsTheStorageContract('a bucket of the test server', async () => {
  const s3 = await openTestS3();
  return {
    storage: await openS3Storage(optionsFor(s3)),
    countObjects: () => Promise.resolve(s3.bucket.objects.size + s3.bucket.uploads.size),
    leaveUnfinished: () => {
      s3.bucket.startUpload('videos/half.mp4');
      return Promise.resolve();
    },
    close: () => s3.close(),
  };
});

const {
  S3_TEST_ENDPOINT: endpoint,
  S3_TEST_BUCKET: bucket = 'gateway-test',
  S3_TEST_REGION: region = 'us-east-1',
  S3_TEST_ACCESS_KEY_ID: accessKeyId = '',
  S3_TEST_SECRET_ACCESS_KEY: secretAccessKey = '',
} = process.env;
if (endpoint !== undefined) {
  itKeepsTheStorageContract(`a bucket at ${endpoint}`, () =>
    openBucketUnderTest({ endpoint, bucket, region, accessKeyId, secretAccessKey }),
  );
}

const some = { maxBytes: 50_000_000 };
const bytesOf = async (stream: Readable): Promise<Buffer> =>
  Buffer.concat((await stream.toArray()) as Uint8Array[]);

let s3: TestS3;
let storage: MediaStorage;
beforeEach(async () => {
  s3 = await openTestS3();
  storage = await openS3Storage(optionsFor(s3));
});
/** For a server that says nothing; one that does may take longer on a busy machine. */
const hasty = (): Promise<MediaStorage> => openS3Storage({ ...optionsFor(s3), timeoutMs: 200 });
afterEach(() => s3.close());

const everything: readonly S3Operation[] = [
  'HeadBucket',
  'ListObjectsV2',
  'ListMultipartUploads',
  'PutObject',
  'GetObject',
  'HeadObject',
  'DeleteObject',
];
const uses: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['storing', () => storage.put('key', Readable.from([Buffer.from('x')]), some)],
  ['reading', () => storage.read('key')],
  ['asking for the size', () => storage.head('key')],
  ['deleting', () => storage.delete('key')],
  [
    'listing',
    async () => {
      for await (const { key } of storage.list('videos')) throw new Error(key);
    },
  ],
  ['sweeping', () => storage.sweepUnfinished(new Date())],
  ['getting ready', () => storage.checkReady()],
];

describe('a bucket that cannot be used', () => {
  it.each(uses)('while %s is named unavailable when nobody listens', async (_what, use) => {
    await s3.close();

    await expect(use()).rejects.toMatchObject({
      name: 'StorageError',
      code: 'storage_unavailable',
    });
  });

  it.each(uses)('while %s is named unavailable when it never responds', async (_what, use) => {
    storage = await hasty();
    s3.faults = { silent: everything };

    await expect(use()).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('is given up soon by what is answered at once, though uploads have their minute', async () => {
    s3.faults = { silent: everything };
    storage = await openS3Storage({ ...optionsFor(s3), responseTimeoutMs: 200 });
    const prompt = uses.filter(([what]) => what !== 'storing');

    const ends = await Promise.allSettled(prompt.map(([, use]) => use()));

    expect(ends).toEqual(
      prompt.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'storage_unavailable' }),
      })),
    );
  });

  it.each<[number, string, string]>([
    [503, 'SlowDown', 'storage_unavailable'],
    [500, 'InternalError', 'storage_unavailable'],
    [404, 'NoSuchBucket', 'storage_unavailable'],
    [403, 'AccessDenied', 'storage_refused'],
    [403, 'SignatureDoesNotMatch', 'storage_refused'],
    [507, 'XMinioStorageFull', 'storage_full'],
    [507, 'Whatever', 'storage_full'],
    [403, 'QuotaExceeded', 'storage_full'],
  ])('with %i %s is named %3$s when storing', async (status, code, expected) => {
    s3.faults = { refuse: { operations: everything, status, code } };

    await expect(storage.put('key', Readable.from([Buffer.from('x')]), some)).rejects.toMatchObject(
      { code: expected },
    );
  });

  it('refuses keys that it does not know', async () => {
    const stranger = await openS3Storage({
      ...optionsFor(s3),
      credentials: { accessKeyId: 'AKIAOTHER', secretAccessKey: 'x' },
    });

    await expect(stranger.checkReady()).rejects.toMatchObject({ code: 'storage_refused' });
  });

  it('says nothing of its address, bucket or keys in the message', async () => {
    await s3.close();

    const error = (await storage
      .head('videos/secret.mp4')
      .catch((thrown: unknown) => thrown)) as Error;

    for (const hidden of [s3.bucketName, 'secret', '127.0.0.1', s3.secretAccessKey]) {
      expect(error.message).not.toContain(hidden);
    }
  });
});

describe('a large upload', () => {
  it('is taken apart, and is nothing at all when a part is refused', async () => {
    s3.faults = { refuse: { operations: ['UploadPart'], status: 507, code: 'XMinioStorageFull' } };

    await expect(
      storage.put('key', Readable.from([randomBytes(12_000_000)]), some),
    ).rejects.toMatchObject({ code: 'storage_full' });

    expect([s3.bucket.objects.size, s3.bucket.uploads.size]).toEqual([0, 0]);
    expect(s3.requests.map(({ operation }) => operation)).toContain('AbortMultipartUpload');
  });

  it('is nothing at all when it cannot be completed', async () => {
    s3.faults = {
      refuse: { operations: ['CompleteMultipartUpload'], status: 500, code: 'InternalError' },
    };

    await expect(
      storage.put('key', Readable.from([randomBytes(12_000_000)]), some),
    ).rejects.toMatchObject({ code: 'storage_unavailable' });

    expect([s3.bucket.objects.size, s3.bucket.uploads.size]).toEqual([0, 0]);
  });

  it('tells the failure of its content, not that of cleaning up after it', async () => {
    s3.faults = {
      refuse: { operations: ['AbortMultipartUpload'], status: 500, code: 'InternalError' },
    };
    const error = new Error('the vendor hung up');
    const content = Readable.from(
      (function* generate() {
        for (let piece = 0; piece < 12; piece += 1) yield Buffer.alloc(1_000_000);
        throw error;
      })(),
    );

    await expect(storage.put('key', content, some)).rejects.toBe(error);
  });

  it('ends at once with its signal, though the server does not respond', async () => {
    const patient = await openS3Storage(optionsFor(s3));
    s3.faults = { silent: ['UploadPart'] };
    const controller = new AbortController();
    const storing = patient.put('key', Readable.from([randomBytes(12_000_000)]), {
      ...some,
      signal: controller.signal,
    });
    await eventually(() => {
      expect(s3.requests.map(({ operation }) => operation)).toContain('UploadPart');
    });

    controller.abort(new Error('shutting down'));

    await expect(storing).rejects.toThrow('shutting down');
    expect(s3.bucket.uploads.size).toBe(0);
    await eventually(() => {
      expect(s3.busySockets()).toBe(0);
    });
  });
});

describe('reading from a bucket', () => {
  beforeEach(() =>
    storage.put('key', Readable.from([randomBytes(3_000_000)]), some).then(() => undefined),
  );

  it('asks for absolute numbers only', async () => {
    const { version } = (await storage.head('key'))!;
    await bytesOf(await storage.read('key', { start: 5, end: 9 }, { version }));

    expect(s3.requests.at(-1)).toEqual({
      operation: 'GetObject',
      key: 'key',
      range: 'bytes=5-9',
      ifMatch: version,
    });
  });

  it('takes no whole object for a part', async () => {
    s3.faults = { ignoreRange: true };

    await expect(storage.read('key', { start: 5, end: 9 })).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    await eventually(() => {
      expect(s3.busySockets()).toBe(0);
    });
  });

  it('fails when the body is cut, and when it stops coming', async () => {
    s3.faults = { cutAfterBytes: 1_000_000 };
    await expect(storage.read('key').then(bytesOf)).rejects.toThrow();

    s3.faults = { stallAfterBytes: 1_000_000 };
    const impatient = await hasty();
    await expect(impatient.read('key').then(bytesOf)).rejects.toThrow();
    await eventually(() => {
      expect(s3.busySockets()).toBe(0);
    });
  });

  /** More than the kernel keeps for a reader that does not read. */
  const large = Buffer.alloc(30_000_000);

  it('gives the socket back when the stream is destroyed unread', async () => {
    const patient = await openS3Storage(optionsFor(s3));
    s3.bucket.put('large', large);
    const streams = await Promise.all(Array.from({ length: 60 }, () => patient.read('large')));
    expect(s3.busySockets()).toBeGreaterThan(0);

    for (const stream of streams) stream.destroy();

    await eventually(() => {
      expect(s3.busySockets()).toBe(0);
    });
    await expect(storage.exists('key')).resolves.toBe(true);
  });

  it('never keeps a short request waiting, however many downloads hold their sockets', async () => {
    const patient = await openS3Storage(optionsFor(s3));
    s3.bucket.put('large', large);
    const streams = await Promise.all(Array.from({ length: 120 }, () => patient.read('large')));

    await expect(patient.head('key')).resolves.toMatchObject({ sizeBytes: 3_000_000 });
    for (const stream of streams) stream.destroy();
  });
});

describe('a bucket with more objects than a page', () => {
  it('is listed to its end', async () => {
    for (let index = 0; index < 2_500; index += 1) {
      s3.bucket.put(`videos/${index}`, Buffer.from('x'));
    }

    let count = 0;
    for await (const { key } of storage.list('videos')) count += Number(key.startsWith('videos/'));

    expect(count).toBe(2_500);
  });
});

describe('a bucket that is shared', () => {
  it('keeps what stands under another prefix apart', async () => {
    const [one, other] = await Promise.all([
      openS3Storage({ ...optionsFor(s3), prefix: 'one/' }),
      openS3Storage({ ...optionsFor(s3), prefix: 'other/' }),
    ]);
    await one.put('videos/a', Readable.from([Buffer.from('x')]), some);
    s3.bucket.startUpload('other/videos/half');

    expect([await one.exists('videos/a'), await other.exists('videos/a')]).toEqual([true, false]);
    const keys: string[] = [];
    for await (const { key } of one.list('videos')) keys.push(key);
    expect(keys).toEqual(['videos/a']);
    await expect(one.sweepUnfinished(new Date(Date.now() + 1_000))).resolves.toBe(0);
  });
});
