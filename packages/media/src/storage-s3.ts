import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
  type GetObjectCommandOutput,
} from '@aws-sdk/client-s3';
import { asking, toS3Error } from './storage-s3-error.ts';
import { putObject } from './storage-s3-put.ts';
import {
  assertStorageKey,
  StorageError,
  type ByteRange,
  type ListedObject,
  type MediaStorage,
  type ObjectHead,
  type ReadOptions,
} from './storage.ts';

export interface S3StorageOptions {
  readonly bucket: string;
  readonly region: string;
  /** Of a server that speaks the protocol of S3; Amazon's own when left out. */
  readonly endpoint?: string;
  /** Bucket in the path instead of the host name; most servers other than Amazon's need it. */
  readonly forcePathStyle?: boolean;
  /** Found as the SDK does (environment, web identity, instance) when left out. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Stands before every key, for instance `production/`. Nothing when left out. */
  readonly prefix?: string;
  /** Silence on a connection that ends it. A minute when left out. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 60_000;
const connectTimeoutMs = 5_000;
/**
 * A download holds its socket as long as its client is slow: it must never keep a short request
 * waiting.
 */
const downloadSockets = 1_000;
const shortRequestSockets = 50;
const uploadsAtOnce = 16;

interface Bucket {
  readonly name: string;
  readonly prefix: string;
  /** Heads, deletions, lists and uploads. */
  readonly requests: S3Client;
  readonly downloads: S3Client;
}

/**
 * Media in a bucket of S3 or of a server that speaks its protocol. Nothing is asked of it until
 * something is stored or read.
 */
export function createS3Storage({
  bucket: name,
  prefix = '',
  ...options
}: S3StorageOptions): MediaStorage {
  const bucket: Bucket = {
    name,
    prefix,
    requests: clientOf(options, shortRequestSockets),
    downloads: clientOf(options, downloadSockets),
  };
  const enter = createGate(uploadsAtOnce);
  const nameOf = (key: string): { Bucket: string; Key: string } => {
    assertStorageKey(key);
    return { Bucket: name, Key: prefix + key };
  };
  const head: MediaStorage['head'] = async (key) => headOf(bucket.requests, nameOf(key));
  const read: MediaStorage['read'] = async (key, range, readOptions) =>
    openBody(bucket.downloads, nameOf(key), { range, ...readOptions });
  return {
    head,
    read,
    async put(key, content, putOptions) {
      const target = { client: bucket.requests, ...nameOf(key) };
      return enter(() => putObject(content, target, putOptions));
    },
    exists: async (key) => (await head(key)) !== undefined,
    lend: async (key, range, readOptions) => piecesOf(await read(key, range, readOptions)),
    async delete(key) {
      await asking(bucket.requests.send(new DeleteObjectCommand(nameOf(key))));
    },
    list: (folder) => {
      assertStorageKey(folder);
      return objectsUnder(bucket, folder);
    },
    sweepUnfinished: (before) => asking(sweep(bucket, before)),
    async checkReady() {
      await asking(bucket.requests.send(new HeadBucketCommand({ Bucket: name })));
    },
  };
}

const silent = (): void => undefined;

function clientOf(
  {
    region,
    endpoint,
    forcePathStyle = false,
    credentials,
    timeoutMs = defaultTimeoutMs,
  }: Omit<S3StorageOptions, 'bucket' | 'prefix'>,
  maxSockets: number,
): S3Client {
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
    // Servers other than Amazon's do not all know the newer checksums, and take their framing for
    // content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: timeoutMs,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
    // what fails is thrown, and logged once by who knows what for
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  });
}

/**
 * Runs at most `width` pieces of work at once; the others wait. Bounds the memory that uploads
 * take.
 */
function createGate(width: number): <Value>(work: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async (work) => {
    if (inside >= width) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    } else inside += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) inside -= 1;
      else next();
    }
  };
}

interface Named {
  readonly Bucket: string;
  readonly Key: string;
}

async function headOf(client: S3Client, named: Named): Promise<ObjectHead | undefined> {
  try {
    const { ContentLength, ETag } = await client.send(new HeadObjectCommand(named));
    if (ContentLength === undefined || ETag === undefined) {
      throw new StorageError(
        'storage_unavailable',
        'the storage reported no size or no ETag for an object',
      );
    }
    return { sizeBytes: ContentLength, version: ETag };
  } catch (thrown) {
    const error = toS3Error(thrown);
    if (error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The raw body: it is the socket, and destroying anything else would leave that open. */
async function openBody(
  client: S3Client,
  named: Named,
  { range, version, signal }: ReadOptions & { range: ByteRange | undefined },
): Promise<Readable> {
  const answer = await asking(
    client.send(
      new GetObjectCommand({
        ...named,
        ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        ...(version !== undefined && { IfMatch: version }),
      }),
      signal === undefined ? {} : { abortSignal: signal },
    ),
  );
  const body = answer.Body as IncomingMessage;
  if (signal?.aborted !== true && isWhatWasAsked(answer, range)) return body;
  body.destroy();
  signal?.throwIfAborted();
  throw new StorageError(
    'storage_unavailable',
    `the storage returned another range than the one requested: ${answer.ContentRange ?? 'the whole object'}`,
  );
}

/** The memory of these pieces is nobody else's, now or later. */
function piecesOf(body: Readable): AsyncIterableIterator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]() as AsyncIterableIterator<Uint8Array>;
  body.on('error', () => undefined); // it may fail before it is asked; asking tells
  return {
    next: () => pieces.next(),
    return() {
      body.destroy(); // also when nothing was read yet
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * A server, or a cache before it, may ignore a range: then other bytes would be served under the
 * right length.
 */
const isWhatWasAsked = (
  { ContentRange }: GetObjectCommandOutput,
  range: ByteRange | undefined,
): boolean =>
  range === undefined
    ? ContentRange === undefined
    : ContentRange?.startsWith(`bytes ${range.start}-${range.end}/`) === true;

async function* objectsUnder(
  { name, prefix, requests }: Bucket,
  folder: string,
): AsyncGenerator<ListedObject> {
  try {
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: requests },
      { Bucket: name, Prefix: `${prefix}${folder}/` },
    )) {
      for (const { Key, LastModified } of Contents) {
        if (Key !== undefined && LastModified !== undefined) {
          yield { key: Key.slice(prefix.length), modifiedAt: LastModified };
        }
      }
    }
  } catch (thrown) {
    throw toS3Error(thrown);
  }
}

async function sweep({ name, prefix, requests }: Bucket, before: Date): Promise<number> {
  let removed = 0;
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const page = await requests.send(
      new ListMultipartUploadsCommand({ Bucket: name, Prefix: prefix, ...markers }),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || Initiated >= before) continue;
      await requests
        .send(new AbortMultipartUploadCommand({ Bucket: name, Key, UploadId }))
        .catch(unlessGone);
      removed += 1;
    }
    if (page.IsTruncated !== true) return removed;
    markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

/** Another replica may have been faster. */
function unlessGone(thrown: unknown): void {
  if ((thrown as { name?: string }).name !== 'NoSuchUpload') throw thrown;
}
