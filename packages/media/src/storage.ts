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

/** What an adapter can tell of an object without reading it. */
export interface ObjectHead {
  readonly sizeBytes: number;
  /**
   * Names these very bytes: a read of this version fails with `replaced` once others are under the
   * key.
   */
  readonly version: string;
}

export interface ReadOptions {
  /** Gives the file or socket back, also after the stream was handed out. */
  readonly signal?: AbortSignal;
  readonly version?: string;
}

export interface ListedObject {
  readonly key: string;
  readonly modifiedAt: Date;
}

export interface PutOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** Throws `replaced` when there is an object under the key, and leaves it. */
  readonly ifAbsent?: boolean;
}

/** Where media lives. Every adapter passes test/contracts/storage-contract.ts. */
export interface MediaStorage {
  /**
   * Stores the whole content under the key, replacing what was there, or leaves no trace. Resolves
   * when it would survive a power cut. Throws what the content threw, the signal's reason, or a
   * StorageError.
   */
  put(key: string, content: Readable, options: PutOptions): Promise<StoredObject>;
  head(key: string): Promise<ObjectHead | undefined>;
  exists(key: string): Promise<boolean>;
  /**
   * Rejects with `not_found` or `replaced` before the first byte. The stream holds a file or a
   * socket: read it to its end or destroy it.
   */
  read(key: string, range?: ByteRange, options?: ReadOptions): Promise<Readable>;
  /**
   * As `read`, for who passes the bytes on and keeps none: a piece is the caller's only until the
   * next one is asked for, then the adapter may fill the same memory again. Holds a file or a
   * socket until its end, a failure, `return` or the signal.
   */
  lend(
    key: string,
    range?: ByteRange,
    options?: ReadOptions,
  ): Promise<AsyncIterableIterator<Uint8Array>>;
  /** Resolves also when there is nothing under the key. */
  delete(key: string): Promise<void>;
  /**
   * Every finished object whose key starts with `<folder>/`, in no order and in constant memory;
   * nothing when there is none.
   */
  list(folder: string): AsyncIterable<ListedObject>;
  /**
   * Removes what puts that began before then have left unfinished; returns how many. Those under
   * way are younger.
   */
  sweepUnfinished(before: Date): Promise<number>;
  /** Rejects when the storage cannot be used right now. */
  checkReady(): Promise<void>;
}

/**
 * All but the last two mean that the storage is at fault, not the object: whoever met one tries
 * again later.
 */
export type StorageErrorCode =
  | 'not_found'
  | 'replaced'
  | 'storage_full'
  | 'storage_read_only'
  | 'storage_refused'
  | 'storage_unavailable'
  | 'too_large'
  | 'invalid_key';

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
 * Throws `invalid_key` unless the key is one that our own code builds, such as
 * `videos/video_01h….mp4`. Two keys never name one object: no empty segments, and none that starts
 * with a dot (adapters keep unfinished files under such names).
 */
export function assertStorageKey(key: string): void {
  const segments = key.split('/');
  const isSound = segments.every(
    (segment) => segment !== '' && !segment.startsWith('.') && segment.length <= maxSegmentLength,
  );
  if (!isSound || key.length > maxKeyLength || !keyPattern.test(key) || key.includes('..')) {
    throw new StorageError(
      'invalid_key',
      'a storage key is lower-case segments of a-z, 0-9, "_", "-" and "." joined by "/"',
    );
  }
}
