import { StorageError, type StorageErrorCode } from './storage.ts';

const whenReading: Readonly<Partial<Record<string, StorageErrorCode>>> = {
  ENOENT: 'not_found',
  ENOTDIR: 'not_found',
  EISDIR: 'not_found',
  EACCES: 'storage_refused',
  EPERM: 'storage_refused',
};
const whenWriting: Readonly<Partial<Record<string, StorageErrorCode>>> = {
  ENOSPC: 'storage_full',
  EDQUOT: 'storage_full',
  EROFS: 'storage_read_only',
  EACCES: 'storage_refused',
  EPERM: 'storage_refused',
};

/** What a failure is called towards people, whichever adapter met it. */
export const storageSentences = {
  not_found: 'no such object',
  replaced: 'other bytes are under this key now',
  storage_full: 'the storage has no room left',
  storage_read_only: 'the storage cannot be written to',
  storage_refused: 'the storage refuses us',
  storage_unavailable: 'the storage does not work',
} as const;

/** A failed system call in the words of the storage port. The path stays in the cause, for logs. */
export function toStorageError(thrown: unknown, purpose: 'read' | 'write'): StorageError {
  if (StorageError.is(thrown)) return thrown;
  const code = codeOf(thrown);
  const failure = (purpose === 'read' ? whenReading : whenWriting)[code] ?? 'storage_unavailable';
  return new StorageError(
    failure,
    `${storageSentences[failure as keyof typeof storageSentences]} (${code})`,
    thrown,
  );
}

/** Settles as the work does, with its system errors translated. */
export async function reading<T>(work: Promise<T>): Promise<T> {
  return translated(work, 'read');
}

/** The same for work that changes the storage: there a missing folder is a fault, not a result. */
export async function writing<T>(work: Promise<T>): Promise<T> {
  return translated(work, 'write');
}

async function translated<T>(work: Promise<T>, purpose: 'read' | 'write'): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw toStorageError(thrown, purpose);
  }
}

function codeOf(thrown: unknown): string {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : 'unknown';
}
