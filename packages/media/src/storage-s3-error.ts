import { storageSentences } from './file-system-error.ts';
import { StorageError, type StorageErrorCode } from './storage.ts';

/**
 * Error codes of S3 and of servers that speak its protocol, in the words of the port; whatever is
 * not here is `storage_unavailable`.
 */
const byName: Readonly<Partial<Record<string, StorageErrorCode>>> = {
  NoSuchKey: 'not_found',
  NotFound: 'not_found', // HEAD has no body that could say more
  PreconditionFailed: 'replaced',
  AccessDenied: 'storage_refused',
  Forbidden: 'storage_refused',
  InvalidAccessKeyId: 'storage_refused',
  SignatureDoesNotMatch: 'storage_refused',
  ExpiredToken: 'storage_refused',
  QuotaExceeded: 'storage_full',
  XMinioStorageFull: 'storage_full',
  XMinioAdminBucketQuotaExceeded: 'storage_full',
  XAdminBucketQuotaExceeded: 'storage_full',
  InsufficientStorage: 'storage_full',
};
const byStatus: Readonly<Partial<Record<number, StorageErrorCode>>> = {
  401: 'storage_refused',
  403: 'storage_refused',
  412: 'replaced',
  507: 'storage_full',
};

/**
 * A failure of the S3 client in the words of the storage port. The message names the code; bucket,
 * key and address stay in the cause, for logs.
 */
export function toS3Error(thrown: unknown): StorageError {
  if (StorageError.is(thrown)) return thrown;
  const {
    name,
    code: systemCode,
    $metadata,
  } = (thrown ?? {}) as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } };
  const code =
    byName[name ?? ''] ?? byStatus[$metadata?.httpStatusCode ?? 0] ?? 'storage_unavailable';
  return new StorageError(
    code,
    `${storageSentences[code as keyof typeof storageSentences]} (${systemCode ?? name ?? 'unknown'})`,
    thrown,
  );
}

/** Settles as the work does, with the client's errors translated. */
export async function asking<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (thrown) {
    throw toS3Error(thrown);
  }
}
