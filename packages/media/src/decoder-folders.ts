import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Folders of a process that was killed are removed by the next one that starts; nobody works on one
 * for so long.
 */
const leftOverAfterMs = 3_600_000;

export interface DecoderFolders {
  /** Runs `work` with a folder of its own, which goes when that ends. */
  within<T>(work: (folder: string) => Promise<T>): Promise<T>;
}

/** Folders that a decoder works in, named `<prefix>…`. Removes those that a killed process left. */
export async function openDecoderFolders(
  temporaryFolder: string,
  prefix: string,
): Promise<DecoderFolders> {
  await removeLeftOvers(temporaryFolder, prefix);
  return {
    async within(work) {
      const folder = await mkdtemp(path.join(temporaryFolder, prefix));
      try {
        return await work(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function removeLeftOvers(temporaryFolder: string, prefix: string): Promise<void> {
  for (const name of await readdir(temporaryFolder)) {
    if (!name.startsWith(prefix)) continue;
    const folder = path.join(temporaryFolder, name);
    // another process may remove it meanwhile
    const found = await stat(folder).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - leftOverAfterMs) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** 0 where there is no such file. */
export async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
