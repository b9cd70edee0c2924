import { createHash, randomUUID } from 'node:crypto';

/** What S3 returns instead of a success: its error code, and the status that goes with it. */
export class S3Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

export interface S3Object {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modifiedAt: Date;
}

interface Upload {
  readonly key: string;
  readonly startedAt: Date;
  readonly parts: Map<number, S3Object>;
}

const smallestPartBytes = 5 * 1024 * 1024;
const tagOf = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

/** What a bucket of S3 holds, with the rules that S3 keeps. */
export interface S3Bucket {
  readonly objects: Map<string, S3Object>;
  readonly uploads: Map<string, Upload>;
  put(key: string, bytes: Buffer): S3Object;
  find(key: string): S3Object;
  startUpload(key: string): string;
  putPart(uploadId: string, number: number, bytes: Buffer): S3Object;
  complete(
    uploadId: string,
    named: readonly { readonly number: number; readonly etag: string }[],
  ): S3Object;
  abort(uploadId: string): void;
}

export function createS3Bucket(now: () => Date): S3Bucket {
  const objects = new Map<string, S3Object>();
  const uploads = new Map<string, Upload>();
  const uploadOf = (uploadId: string): Upload =>
    uploads.get(uploadId) ?? refuse(404, 'NoSuchUpload');
  return {
    objects,
    uploads,
    put(key, bytes) {
      const object = { bytes, etag: `"${tagOf(bytes)}"`, modifiedAt: now() };
      objects.set(key, object);
      return object;
    },
    find: (key) => objects.get(key) ?? refuse(404, 'NoSuchKey'),
    startUpload(key) {
      const uploadId = randomUUID();
      uploads.set(uploadId, { key, startedAt: now(), parts: new Map() });
      return uploadId;
    },
    putPart(uploadId, number, bytes) {
      if (!Number.isInteger(number) || number < 1 || number > 10_000) {
        refuse(400, 'InvalidArgument');
      }
      const part = { bytes, etag: `"${tagOf(bytes)}"`, modifiedAt: now() };
      uploadOf(uploadId).parts.set(number, part);
      return part;
    },
    complete(uploadId, named) {
      const { key, parts } = uploadOf(uploadId);
      if (named.length === 0) refuse(400, 'MalformedXML');
      const chosen = named.map(({ number, etag }, index) => {
        if (index > 0 && number <= (named[index - 1]?.number ?? 0)) refuse(400, 'InvalidPartOrder');
        const part = parts.get(number);
        return part?.etag === etag ? part : refuse(400, 'InvalidPart');
      });
      if (chosen.slice(0, -1).some(({ bytes }) => bytes.length < smallestPartBytes)) {
        refuse(400, 'EntityTooSmall');
      }
      const bytes = Buffer.concat(chosen.map((part) => part.bytes));
      const object = {
        bytes,
        etag: `"${tagOf(Buffer.concat(chosen.map((part) => Buffer.from(part.etag))))}-${chosen.length}"`,
        modifiedAt: now(),
      };
      objects.set(key, object);
      uploads.delete(uploadId);
      return object;
    },
    abort(uploadId) {
      uploadOf(uploadId);
      uploads.delete(uploadId);
    },
  };
}

export function refuse(status: number, code: string): never {
  throw new S3Refusal(status, code);
}
