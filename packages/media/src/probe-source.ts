import { open } from 'node:fs/promises';
import { reading } from './file-system-error.ts';
import type { MediaStorage } from './storage.ts';
import { StorageError } from './storage.ts';

/**
 * Bytes that can be looked at anywhere. `read` takes the first and the last byte, both included and
 * inside the file. A read that is given up by its signal may throw anything.
 */
export interface ProbeSource {
  readonly sizeBytes: number;
  read(start: number, end: number, signal?: AbortSignal): Promise<Uint8Array>;
}

export function sourceFromBytes(bytes: Uint8Array): ProbeSource {
  return {
    sizeBytes: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, end + 1)),
  };
}

/** Each look is one ranged read of the storage. */
export async function sourceFromStorage(storage: MediaStorage, key: string): Promise<ProbeSource> {
  const found = await storage.head(key);
  if (found === undefined) throw new StorageError('not_found', 'no such object');
  return {
    sizeBytes: found.sizeBytes,
    async read(start, end, signal) {
      const stream = await storage.read(key, { start, end }, { version: found.version });
      return Buffer.concat((await reading(stream.toArray(signal && { signal }))) as Uint8Array[]);
    },
  };
}

/** Runs `look` on a file of the file system and closes it again. */
export async function withFileSource<T>(
  path: string,
  look: (source: ProbeSource) => Promise<T>,
): Promise<T> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    return await look({
      sizeBytes: size,
      async read(start, end) {
        const { buffer, bytesRead } = await handle.read(
          Buffer.alloc(end - start + 1),
          0,
          end - start + 1,
          start,
        );
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await handle.close();
  }
}
