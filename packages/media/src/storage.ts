import type { Readable } from 'node:stream';

export interface StoredObject {
  readonly sizeBytes: number;
  /** Lower-case hex of the bytes that were stored. */
  readonly sha256: string;
}

/** First and last byte, both included, both inside the object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface PutOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** Where media lives. Every adapter passes test/contracts/storage-contract.ts. */
export interface MediaStorage {
  /**
   * Stores the whole content under the key, replacing what was there, or leaves no trace. Resolves when it would survive a
   * power cut. Throws what the content threw, the signal's reason, or a StorageError.
   */
  put(key: string, content: Readable, options: PutOptions): Promise<StoredObject>;
  head(key: string): Promise<{ readonly sizeBytes: number } | undefined>;
  exists(key: string): Promise<boolean>;
  /** Rejects with `not_found` before the first byte. The stream holds a file or a socket: read it to its end or destroy it. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Resolves also when there is nothing under the key. */
  delete(key: string): Promise<void>;
  /** Rejects when an object could not be stored right now. */
  checkReady(): Promise<void>;
}

export type StorageErrorCode = 'not_found' | 'storage_full' | 'storage_unavailable' | 'too_large' | 'invalid_key';

const brand = Symbol.for('gateway.StorageError');

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  readonly [brand] = true;

  constructor(code: StorageErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }

  static is(value: unknown): value is StorageError {
    return typeof value === 'object' && value !== null && brand in value;
  }
}

const maxKeyLength = 512;
const maxSegmentLength = 200;
const keyPattern = /^[a-z0-9_][a-z0-9_/.-]*$/;

/**
 * Throws `invalid_key` unless the key is one that our own code builds, such as `videos/video_01h….mp4`. Two keys never
 * name one object: no empty segments, and none that starts with a dot (adapters keep unfinished files under such names).
 */
export function assertStorageKey(key: string): void {
  const segments = key.split('/');
  const isSound = segments.every((segment) => segment !== '' && !segment.startsWith('.') && segment.length <= maxSegmentLength);
  if (!isSound || key.length > maxKeyLength || !keyPattern.test(key) || key.includes('..')) {
    throw new StorageError('invalid_key', 'a storage key is lower-case segments of a-z, 0-9, "_", "-" and "." joined by "/"');
  }
}
