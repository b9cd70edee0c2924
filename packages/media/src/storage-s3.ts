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
  type GetObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { createGate } from './gate.ts';
import { openS3Client, type S3Address } from './storage-s3-client.ts';
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

export interface S3StorageOptions extends S3Address {
  readonly bucket: string;
  /** Stands before every key, for instance `production/`. Nothing when left out. */
  readonly prefix?: string;
  /** Silence on a connection that ends it. A minute when left out. */
  readonly timeoutMs?: number;
  /** How long a response may take to begin, except an upload's. 10 s when left out. */
  readonly responseTimeoutMs?: number;
}

const defaultTimeoutMs = 60_000;
/** Each request is tried three times: a storage that was silent is used again within half a minute. */
const defaultResponseTimeoutMs = 10_000;
/**
 * A download holds its socket as long as its client is slow: it must never keep a short request
 * waiting.
 */
const downloadSockets = 1_000;
const shortRequestSockets = 50;
/** Bounds the memory that they take. */
const uploadsAtOnce = 16;

interface Bucket {
  readonly name: string;
  readonly prefix: string;
  /** Heads, deletions and lists. */
  readonly requests: S3Client;
  readonly uploads: S3Client;
  readonly downloads: S3Client;
}

/**
 * Media in a bucket of S3 or of a server that speaks its protocol. Nothing is asked of it until
 * something is stored or read.
 */
export function createS3Storage({
  bucket: name,
  prefix = '',
  timeoutMs = defaultTimeoutMs,
  responseTimeoutMs = defaultResponseTimeoutMs,
  ...options
}: S3StorageOptions): MediaStorage {
  const prompt = Math.min(responseTimeoutMs, timeoutMs);
  const bucket: Bucket = {
    name,
    prefix,
    requests: openS3Client(options, {
      maxSockets: shortRequestSockets,
      responseMs: prompt,
      silenceMs: prompt,
    }),
    // The bytes of a part go out before its response begins.
    uploads: openS3Client(options, {
      maxSockets: shortRequestSockets,
      responseMs: timeoutMs,
      silenceMs: timeoutMs,
    }),
    downloads: openS3Client(options, {
      maxSockets: downloadSockets,
      responseMs: prompt,
      silenceMs: timeoutMs,
    }),
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
      const target = { client: bucket.uploads, ...nameOf(key) };
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
  const response = await asking(
    client.send(
      new GetObjectCommand({
        ...named,
        ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        ...(version !== undefined && { IfMatch: version }),
      }),
      signal === undefined ? {} : { abortSignal: signal },
    ),
  );
  const body = response.Body as IncomingMessage;
  if (signal?.aborted !== true && isWhatWasAsked(response, range)) return body;
  body.destroy();
  signal?.throwIfAborted();
  throw new StorageError(
    'storage_unavailable',
    `the storage returned another range than the one requested: ${response.ContentRange ?? 'the whole object'}`,
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
